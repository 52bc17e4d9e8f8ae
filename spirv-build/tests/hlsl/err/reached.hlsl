// options: entry=main profile=cs_6_2
// What is a mistake only where an entry point reaches it, reached: by calls, methods, defaults, templates and initialisers.
RWStructuredBuffer<float> o;
RWStructuredBuffer<float4x4> matrices;
ByteAddressBuffer bytes;
StructuredBuffer<float> list;
struct Pair { float a, b; };
struct Other { float a, b; };

void sizeless(out float x[]) { }
float row(float3x3 m) { return m[3].x; }
void part() { ((float3x3)matrices[0])[1] = 0; }
float none(float y = bytes.Load2(0, o[9]).x) { int no[0]; return y; }
struct Method { float get() { float s; return list.Load(0, s); } };
template <typename T> T never(T x);
template <typename T> T once(T x) { return never(x); }
float second() { return row(0); }
static float first = second();
void modify(inout Pair p) { p.a = 1; }
void atomic() { uint mine = 0; InterlockedAdd(mine, 1); }

[numthreads(1, 1, 1)] void main() {
    float a[2];
    sizeless(a);
    part();
    Method m;
    o[0] = none() + m.get() + once(1.0) + first;
    Other other;
    modify((Pair)other);
    atomic();
    o[1] = 5000000000u + 3000000000l;
}
