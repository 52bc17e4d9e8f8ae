// Conditions that declare; switches on more than 32-bit integers; what functions declare for others.
RWStructuredBuffer<int> Out;
int next(int n) { return n - 1; }
struct Caller {
    int call() {
        int later(int x);
        return later(2);
    }
};
int once(int n) {
    static int first = n;
    static const int4 shifted = int4(1, 2, 3, 4) << n;
    first++;
    return first + shifted.y;
}
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    int n = id.x;
    [branch] if (int half_of = n / 2) {
        Out[0] = half_of;
    } else if (uint other = id.y)
        Out[1] = half_of + other;
    [loop] while (int left = next(n)) {
        n = left;
        if (left == 3) continue;
        Out[left] = n;
    }
    switch (int kind = n & 3) {
        case 1: Out[2] = kind; break;
        default: break;
    }
    float f = id.y * 0.5;
    switch (f) { case 2: Out[3] = 1; break; case 3: Out[3] = 2; }
    uint64_t wide = id.z * 5000000000ull;
    switch (wide) {
        case 0:
        case 5000000000: Out[4] = 1; break;
        case 1: Out[4] = 2;
        default: Out[5] = 3;
    }
    Caller c;
    int later(int x);
    Out[6] = c.call() + later(3) + once(id.x) + once(7);
}
int later(int x) { return x * 2; }
