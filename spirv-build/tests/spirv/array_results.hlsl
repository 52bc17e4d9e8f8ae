// spirvc: -T cs_6_2 -E main -O3 --emit ir
// Functions that return arrays, with their dimensions behind the parameters.
RWStructuredBuffer<float> o;
typedef float A4[4];
A4 g() { float a[4] = {1,2,3,4}; return a; }
float f(int n)[4] { float a[4] = { n, 2, 3, 4 }; return a; }
float2 m(int n)[2][3] { float2 a[2][3]; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) a[i][j] = n + i * 10 + j; return a; }
struct S { int v; int get()[2] { int a[2] = { v, v + 1 }; return a; } };
A4 h(int n)[2];
A4 h(int n)[2] { A4 a[2]; a[0] = f(n); a[1] = g(); return a; }
static const int stat[3] = {1,2,3};
int k()[3] { return stat; }
[numthreads(1,1,1)] void main(uint i : SV_GroupIndex) {
  S s; s.v = i;
  o[0] = f(i)[2] + g()[i] + m(3)[1][i].y + s.get()[i] + h(2)[1][i] + k()[i];
  float b[4] = f(2);
  b = f(3);
  o[1] = b[i];
}
