[[using Vulkan: set(1), bindng(2)]] StructuredBuffer<float> a;
[[using vulcan: binding(2)]] StructuredBuffer<float> b;
[[vk::set(1)]] StructuredBuffer<float> c;
[[using vk: binding(1, 2), set(3)]] StructuredBuffer<float> d;
[[using vk: vk::binding(1)]] StructuredBuffer<float> e;
[[using vk binding(1)]] StructuredBuffer<float> f;
[[using Vulkan: set(-1), binding(0)]] StructuredBuffer<float> g;
[[using spv: set(1, 2), binding(0)]] StructuredBuffer<float> h;
[[using]] StructuredBuffer<float> i;
[[nv::binding(1)]] StructuredBuffer<float> j;
[numthreads(1, 1, 1)]
void main() { }
