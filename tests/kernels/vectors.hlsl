// spirvc: -T cs_6_2 -enable-16bit-types
// Vectors and matrices that the host has types for.

struct Body
{
    float4 turn;
    uint4 cells;
    float4x4 frame;
    float2 spin;
    float16_t2 halves;
    uint _pad;
};

RWStructuredBuffer<Body> bodies;
RWStructuredBuffer<float3> points;

cbuffer Params
{
    float3x3 axes;
    float3 origin;
    uint count;
};

[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    Body body = bodies[id];
    body.turn = body.turn.wzyx;
    body.cells.x += id;
    body.frame._11_21_31_41 = body.frame._12_22_32_42 * body.spin.x;
    body.halves *= float16_t(2);
    bodies[id] = body;
    points[id] = mul(axes, points[id]) + origin;
}
