// Attributes of vk at what they are not for, and formats of images that do not fit.
struct S { [[vk::binding(5)]] float f; [[vk::counter_binding(1)]] float g; [[vk::push_constant]] float h; };
[[vk::counter_binding(3)]] SamplerState s;
[[vk::counter_binding(4)]] StructuredBuffer<float> list;
[[vk::counter_binding(4)]] RWStructuredBuffer<float> counted;
[[vk::location(5)]] RWStructuredBuffer<float> o;
[[vk::binding(1)]] float loose;
[[vk::offset(4)]] cbuffer B { [[vk::offset(16)]] float x; }
[[vk::push_constant, vk::binding(5)]] S constants;
[[vk::shader_record_ext, vk::binding(6)]] ConstantBuffer<S> record;
[[vk::combinedImageSampler]] ByteAddressBuffer bytes;
[[vk::image_format("r64i")]] RWTexture1D<uint> a;
[[vk::image_format("rgba32f")]] RWTexture1D<int4> b;
[[vk::image_format("rgba32i")]] RWTexture1D<uint4> c;
[[vk::image_format("rgba8ui")]] RWTexture1D<float4> d;
[[vk::image_format("rgba8")]] Texture2D e;
[[vk::image_format("rgba8snorm")]] RWTexture2D<float4> fits;
[[vk::ext_builtin_input(24)]] static uint3 not_constant;
[[vk::ext_builtin_input(24)]] uint3 not_static;
struct T { float2 a; [[vk::offset(4)]] float b; [[vk::offset(18)]] float c; [[vk::offset(-4)]] float d; };
[[vk::binding(1)]] void f([[vk::binding(2)]] float a) {}

[numthreads(1, 1, 1)] void main() {
    [[vk::binding(3)]] float local = 1;
    o[0] = loose + x + local;
}
