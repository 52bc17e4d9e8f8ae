// Vectors of three, one after the other: compiled with several rules for what lies where.

struct Mark
{
    float2 tilt;
    float3 position;
    float weights[3];
    uint3 cell;
};

StructuredBuffer<float3> points;
RWStructuredBuffer<Mark> marks;

cbuffer Params
{
    float3 origin;
    float steps[5];
    uint count;
};

[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    Mark mark = marks[id];
    mark.position += points[id] - origin;
    mark.tilt = mark.position.xy * steps[id % 5];
    mark.weights[id % 3] += 1;
    mark.cell += uint3(id, 1, 2);
    marks[id] = mark;
}
