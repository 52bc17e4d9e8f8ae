// spirvc: -T cs_6_0 -E main -O3 --emit ir
// Structures and arrays go from buffer to buffer as they lie there; where layouts differ, part by part.
struct In {
    float3 p;
    float2x3 m;
    bool b;
};

struct Out {
    In a[3];
    uint x;
};

RWStructuredBuffer<Out> r;
StructuredBuffer<Out> s;
RWStructuredBuffer<In> q;

cbuffer C {
    In c;
};

uint next(inout uint n) { return n++; }

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    r[id.x] = s[id.y + 1];
    r[0].a = s[1].a;
    q[0] = r[id.x].a[id.y];
    // Of other layout.
    q[1] = c;
    // Indices with effects are computed in the order of the source.
    uint n = id.z;
    r[next(n)].a[0] = q[next(n)];
}
