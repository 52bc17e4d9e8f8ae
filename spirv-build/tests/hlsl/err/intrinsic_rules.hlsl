// Types that intrinsics do not take, and lists where values stand.
RWStructuredBuffer<float> o;
struct S { float a; };

[numthreads(1, 1, 1)] void main() {
    float2x2 m = 1;
    normalize(m);
    o[0] = fma(1.0f, 2.0f, o[1]);
    S s = { 1 };
    s = { 2 };
    float2 v = { 1, 2 };
    v = { 3, 4 };
    o[1] = s.a + v.x;
}
