struct Particle {
    float3 position;
    float mass;
    float3 velocity;
    uint flags;
};
cbuffer Step {
    float dt;
    float3 gravity;
    bool collide;
    float weights[3];
};
RWStructuredBuffer<Particle> particles;
Texture2D<float> field;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint count, stride;
    particles.GetDimensions(count, stride);
    if (id.x >= count)
        return;
    Particle p = particles[id.x];
    p.velocity += gravity * dt * field[uint2(0, 0)] * weights[2];
    p.position += p.velocity * dt;
    if (collide)
        p.flags |= 1;
    particles[id.x] = p;
}
