AppendStructuredBuffer<float> a;
tbuffer T { float x; };
interface I { float f(); }; struct HasI { I i; }; float useI(I i) { return i.f(); } interface Data { float x; };
using namespace foo;
struct S { int b : 3; Texture2D t; };
template<> float f<float>(float x) { return x; }
SamplerState s;
Texture2D<float4> t;
RWStructuredBuffer<float4> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    o[id] = t.SampleLevel(s, float2(0, 0), 0);
    I local;
    printf("hello");
}
