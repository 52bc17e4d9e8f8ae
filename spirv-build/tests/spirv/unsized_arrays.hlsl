// spirvc: -T cs_6_6 -E main -fspv-target-env=vulkan1.1 --emit asm
// Arrays of resources without a size; images of 64-bit integers.
Texture2D<float4> Colours[] : register(t0, space1);
StructuredBuffer<uint2> Data[] : register(t0, space2);
RWTexture2D<uint64_t> Wide;
RWStructuredBuffer<float4> Out;
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    Out[i] = Colours[i].Load(int3(i, 0, 0)) + Colours[3][uint2(1, i)] + Data[i + 1][i].xyxy;
    Wide[uint2(i, 0)] = Wide[uint2(0, i)] + 1;
}
