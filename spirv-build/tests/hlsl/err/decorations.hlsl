struct S { [[vk::ext_decorate(35, 16)]] float x; [[vk::ext_decorate_string(5635, "y")]] float y; [[vk::ext_decorate_id(6, 4)]] float w; [[vk::ext_decorate(0)]] uint z : 3; };
[[vk::ext_decorate]] RWStructuredBuffer<float> a;
[[vk::ext_decorate(-1)]] RWStructuredBuffer<float> b;
[[vk::ext_decorate(1, "x")]] RWStructuredBuffer<float> c;
[[vk::ext_decorate_string(5635, 1)]] RWStructuredBuffer<float> d;
[[vk::ext_decorate_id(27)]] RWStructuredBuffer<float> e;
[[vk::ext_decorate(6, 4)]] float loose[2];
[[vk::ext_decorate(20)]] typedef float F;
[[vk::ext_decorate(1)]] [[vk::constant_id(2)]] const int spec = 1;
[[vk::ext_decorate_string(5635, "x")]] float f(float x) { return x; }
[[vk::ext_decorate_id(27, loose)]] RWStructuredBuffer<float> g;
[[vk::ext_storage_class(5)]] static float h;
[[vk::ext_storage_class(1)]] const uint no_builtin;
struct Z { [[vk::ext_storage_class(4)]] float x; };
void z([[vk::ext_storage_class(4)]] float x) { [[vk::ext_storage_class(6)]] float y = x; }
[numthreads(1, 1, 1)]
void main() {
    [[vk::ext_decorate_string(1, "x")]] float x = f(1);
    [[vk::ext_decorat(1)]] float y = x;
}
// SpecId takes a number, UserSemantic a text, Restrict nothing.
[[vk::ext_decorate_string(1, "x")]] RWStructuredBuffer<float> l;
[[vk::ext_decorate(5635, 1)]] RWStructuredBuffer<float> i;
[[vk::ext_decorate(19, 7)]] RWStructuredBuffer<float> j;
[[vk::ext_decorate_string(5635, "x", "y")]] RWStructuredBuffer<float> k;
