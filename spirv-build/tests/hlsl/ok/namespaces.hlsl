namespace outer {
    static const float SCALE = 2;
    struct Point { float2 p; };
    namespace inner {
        float scaled(Point q) { return q.p.x * SCALE; }
    }
    typedef float2 pair;
    precise outer::pair exactly(pair p) { precise outer::pair q = p * 2; return q; }
}
namespace outer { float more(float x) { return x + SCALE; } }
using Scalar = float;
typedef float Triple[3];
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    outer::Point q;
    q.p = (outer::pair)1;
    Triple t = { 1, 2, 3 };
    Scalar s = ::outer::more(t[1]);
    o[id] = outer::inner::scaled(q) + s + outer::exactly(q.p).x;
}
namespace deep {
    struct A {
        struct B { float f() { return 1; } };
        B b;
    };
}
[numthreads(1, 1, 1)]
void other(uint id : SV_DispatchThreadID) {
    deep::A a;
    deep::A::B b = a.b;
    o[id] = b.f();
}
