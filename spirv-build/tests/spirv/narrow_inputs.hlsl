// spirvc: -T cs_6_2 -E main -enable-16bit-types --emit asm
// System values may be taken as integers of 16 bits.
RWStructuredBuffer<uint3> O;
[numthreads(1, 1, 1)] void main(uint16_t3 id : SV_DispatchThreadID, int16_t2 group : SV_GroupID, int16_t n : SV_GroupIndex) {
    O[0] = id;
    O[1] = uint3(group, n);
}
