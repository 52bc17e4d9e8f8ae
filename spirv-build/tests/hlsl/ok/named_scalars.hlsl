// Types that are computed in the same way have names of their own, in structures, arrays and templates too.
struct S { half a; min10float b; half2 c[2]; };
StructuredBuffer<S> s;
RWStructuredBuffer<half> halves;
RWStructuredBuffer<float> o;
template <typename T> struct Pair { T a, b; };
static Pair<half> p;
static Pair<float> q;
int f(half x) { return 1; }
int f(float x) { return 2; }
int f(min16float x) { return 3; }
int f(min10float x) { return 4; }
int g(min16int x) { return 1; }
int g(min12int x) { return 2; }

[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  half h = s[id].a;
  min10float t = s[id].b;
  float sum[2] = {1, 2};
  half small[2] = (half[2])sum;
  p.a = q.a;
  o[0] = f(h) + f(t) + f(o[1]) + f(h * t) + f(h * o[2]) + sizeof(S);
  o[1] = g(min12int(id)) + small[id] + s[id].c[1].y;
  halves[id] = p.a;
}
