static float accumulator = 0;
static uint seed = 1u;
static float derived = seed * 2.0 + sqrt(seed);
static const float GAUSS[] = { exp(-0.5), exp(0), exp(-0.5) };
groupshared float4 tile[2][8];
RWStructuredBuffer<float> o;
uint next() { static uint calls = 3; calls++; seed = seed * 1664525u + 1013904223u; return seed ^ calls; }
[numthreads(8, 2, 1)]
void main(uint3 g : SV_GroupThreadID, uint3 id : SV_DispatchThreadID) {
    tile[g.y][g.x] = next();
    tile[g.y][g.x].w = derived;
    GroupMemoryBarrierWithGroupSync();
    accumulator += tile[1 - g.y][g.x].y * GAUSS[2];
    o[id.x] = accumulator;
}
