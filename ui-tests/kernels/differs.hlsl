// A struct that has the name of another.
struct Planet
{
    float3 position;
    uint mass;
};

RWStructuredBuffer<Planet> planets;

[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    planets[id].mass += 1;
}
