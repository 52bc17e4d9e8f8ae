// options: 16bit profile=cs_6_2
// System values as narrow numbers.
RWStructuredBuffer<uint3> Out;
[numthreads(4, 1, 1)]
void main(uint16_t3 id : SV_DispatchThreadID, int16_t2 group : SV_GroupID, uint index : SV_GroupIndex) {
    Out[index] = id + uint3(group.xy, 0);
}
