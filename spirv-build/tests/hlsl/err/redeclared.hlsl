struct S { float a; int a; };
struct S { int b; };
float x;
int x;
void x() { }
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    int n;
    float n;
    { int n; }
    uint id = 1;
}
