struct Pair { Buffer<uint> a; uint n; };
Pair Loose;
[numthreads(1, 1, 1)] void main() {
    auto a;
    auto b[2] = { 1, 2 };
    auto c = main();
}
auto d = 1;
[[vk::ext_instruction(70000)]] uint far(uint x);
[[vk::ext_instruction(1, "OpenCL.std")]] float open(float x);
[[vk::ext_decorate(0)]] float decorated(float x) { return x; }
template <> struct Nothing<int> { int x; };
template <typename T> struct Only;
uint use() { Only<int> o; return 0; }
