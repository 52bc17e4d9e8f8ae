// Functions, constants, resources and initialisers between the members of buffers.
cbuffer Numbers : register(b3) {
groupshared uint counts_of_group[2] = {0, 0};
    float4 first = 1.0;
    float read() { return first.x + last; }
    static const int two = 2;
    Texture2D<float> image : register(t4), other;
    SamplerState sampling;
    float last;
    float4 from_others[2] = { first, two.xxxx };
};
cbuffer OnlyResources { Buffer<uint> counts[2]; };
tbuffer Table { float entry; float twice() { return entry * two; } };
float4 loose[2] = {1, 2, 3, 4, 5, 6, 7, 8};
RWStructuredBuffer<float4> Out;
struct S { float a; float b; };
ConstantBuffer<S> blocks[2];
ConstantBuffer<S> pick(uint i) { return blocks[i]; }
float sum(S s) { return s.a + s.b; }
[numthreads(4, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    float read_image = image.SampleLevel(sampling, id.xy, 0) + other.Load(id);
    S copy = pick(1);
    Out[id.x] = float4(read(), twice(), read_image + counts[1][0], sum(pick(0)) + copy.a) + loose[id.y];
}
