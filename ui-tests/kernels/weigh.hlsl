#include "body.hlsli"

StructuredBuffer<Planet> planets;
RWStructuredBuffer<float4> sums;

cbuffer Params
{
    float scale;
};

[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    Planet p = planets[id];
    sums[id] = float4(p.position, p.mass * scale + p.orbit.period + p.moons[1]);
}
