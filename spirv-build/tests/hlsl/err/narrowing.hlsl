// Conversions that lose bits, those that keep a constant's value, and commas that are no list.
RWStructuredBuffer<float4> o;
RWStructuredBuffer<int64_t> wide;
static float2 pair = (1.0, 2.0);

[numthreads(1, 1, 1)] void main() {
    double d = o[0].x;
    float f = d;
    float cast = (float)d;
    int i = wide[0];
    float mixed = f + wide[1];
    min16float small = f;
    float exact = 1.0l;
    float inexact = 0.1l;
    float4 last = (1, 2, 3, 4);
    i = (1, 2);
    o[0] = float4(f + cast, i + mixed, small + exact, inexact) + last;
}
