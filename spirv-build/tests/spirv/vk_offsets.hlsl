// spirvc: -T cs_6_0 -E main --emit asm
// `vk::offset` places members in buffers, not where bytes are loaded.
struct S { float a; [[vk::offset(16)]] float b; float c; [[vk::offset(64)]] float4 d; };
[[vk::push_constant]] S constants;
ConstantBuffer<S> block;
StructuredBuffer<S> list;
ByteAddressBuffer bytes;
RWStructuredBuffer<float> o;

[numthreads(1, 1, 1)]
void main() {
    o[0] = constants.b + block.c + list[1].d.x + bytes.Load<S>(0).b + sizeof(S);
}
