// What two kernels share.
struct Orbit
{
    float2 ends;
    float period;
};

struct Planet
{
    float3 position;
    float mass;
    Orbit orbit;
    uint moons[2];
};
