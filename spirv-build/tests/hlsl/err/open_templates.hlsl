// What is wrong with a template whatever its arguments are is found where it is defined.
template <typename T> static T quiet(T x) { groupshared T y = x; return y; }
template <typename T, int N> T loops(inout const T x) {
    [unroll(N)] for (int i = 0; i < N; i++) x += 1;
    [unroll][loop] while (x > 1) { x -= 1; if (x == 3) break; }
    [unrol] do { switch (i) { case 1: continue; } } while (x < 3);
    [numthreads(1, 1, 1)] x += 1;
    [branch] if (x > 2) continue;
    row_major float y;
    uniform T z;
    break;
    return x;
}
template <typename T> struct Box {
    [[vk::binding(3)]] T value;
    [shader("compute")] T other;
    uniform T third;
    const T fourth;
    snorm int fifth;
    T get([[vk::location(2)]] T x) { [flattened] if (x > 1) return value; return other; }
    template <typename U> extern U convert(volatile U x) { return x; }
    struct Inner { groupshared T sixth; };
};
template <typename T> [[vk::offset(4)]] struct Placed { T x; };
template <typename T> T fine(T x) {
    volatile T y = x;
    const T z = y;
    row_major float2x2 m = 0;
    [[vk::ext_decorate(0)]] T w = undeclared(x, z);
    [loop] for (;;) { switch (x) { default: break; } if (w) continue; break; }
    return w;
}
// An instance is checked itself, once.
template <typename T> T used(T x) { uniform T y = x; return y; }
[[vk::binding(1)]] struct Named { float x; };
[numthreads(1, 1, 1)] void main() { used(1); used(2.0); [numthreads(1, 1, 1)] for (;;) { break; } }
