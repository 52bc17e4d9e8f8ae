// Vectors of three, each in the room of four.
StructuredBuffer<float3> from;
RWStructuredBuffer<float3> to;

[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    to[id] = from[id] * 2;
}
