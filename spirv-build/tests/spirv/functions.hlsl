// spirvc: -T cs_6_0 -E main -O0 --emit ir
// in, out, inout, overloads, resources as parameters, methods, static variables with initialisers that do not fold.
StructuredBuffer<float> first;
StructuredBuffer<float> second;
RWStructuredBuffer<float> result;
static const float weights[4] = { 0.125, 0.25, 0.5, 1 };
static int counter;
static float seeded = result[3];

struct Counter {
    int n;
    float scale[2];
    void add(int by) { n += by; scale[by & 1] *= 2; }
    float get() { return n * scale[0]; }
};
groupshared Counter shared_counter[2];

float sum(StructuredBuffer<float> from, uint n)
{
    float s = 0;
    for (uint i = 0; i < n; i++) s += from[i] * weights[i & 3];
    return s;
}
void split(inout int x, out float y, float3 z) { counter++; x += counter; y = z.y; }
void split(inout float x) { x *= 2; }

[numthreads(2, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    Counter c;
    c.n = 3;
    c.scale[0] = 1; c.scale[1] = 2;
    c.add(i);
    shared_counter[i].n = 0;
    shared_counter[i].add(c.n);
    float f;
    split(c.n, f, float3(1, 2, 3));
    float3 v = f;
    split(v.z);
    result[i] = sum(first, 3) + sum(second, c.n) + v.z + c.get() + shared_counter[1].get() + seeded;
}
