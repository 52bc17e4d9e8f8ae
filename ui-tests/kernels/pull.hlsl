#include "body.hlsli"

RWStructuredBuffer<Planet> planets;

cbuffer Params
{
    float3 towards;
    Orbit orbit;
};

[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    planets[id].position += towards;
    planets[id].orbit = orbit;
}
