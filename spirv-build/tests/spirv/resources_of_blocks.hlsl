// spirvc: -spirv -T cs_6_6 -E main -fselect-resources -fspv-target-env=vulkan1.2 -fvk-bind-resource-heap 7 3 --emit asm
// Resources in a cbuffer are variables of their own; arrays of resources are parameters whatever their size; registers of any case.
struct Two { Texture2D<float4> t; SamplerState s; float scale; };
cbuffer A : register(b2) { float4 x; Texture2D y; SamplerState z; Two two; Texture2D many[3] : register(t5); };
cbuffer OnlyResources { RWStructuredBuffer<float4> O; };
Texture2D All[] : register(T1, space2);
Texture2D One;
struct Block { float4 value; };
ConstantBuffer<Block> Blocks[2];
ConstantBuffer<Block> block(uint i) { return Blocks[i]; }
float4 value_of(Block b) { return b.value; }
float4 get(Texture2D t[], uint i) { return t[i][uint2(0, i)]; }
Texture2D pick(Texture2D t[], uint i) { return t[i]; }
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    O[i] = x + y.SampleLevel(z, float2(0, 0), 0) + two.t.SampleLevel(two.s, float2(0, 0), 0) * two.scale;
    Texture2D own[2] = { One, many[1] };
    Texture2D heap = ResourceDescriptorHeap[i];
    O[4] = get(All, i) + get(many, 1) + get(own, 0) + pick(many, i)[uint2(1, 1)] + heap[uint2(0, 0)];
    O[6] = value_of((block(i))) + block(1).value;
    O[5].x = (float)vk::ReadClock(vk::SubgroupScope);
}
