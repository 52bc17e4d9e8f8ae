struct Base {
    float scale;
    float apply(float x) { return x * scale; }
};
struct Ray : Base {
    float3 origin, direction;
    static const int COUNT = 3;
    float3 at(float t) { return origin + apply(t) * direction; }
    void advance(float t) { origin = at(t); }
    float3 later() { return helper() + COUNT; }
    float3 helper();
};
float3 Ray::helper() { return direction; }
struct Pair { int a; float2 b[2]; };
StructuredBuffer<Ray> rays;
RWStructuredBuffer<float3> o;
RWStructuredBuffer<Pair> pairs;
Ray make() {
    Ray r;
    r.scale = 1;
    r.origin = r.direction = float3(0, 0, 1);
    return r;
}
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    Ray r = rays[id];
    r.advance(2);
    o[id] = r.at(1) + rays[id].at(2) + make().later() + make().direction;
    Pair p = { 1, { 2, 3 }, 4, 5 };
    Pair q = (Pair)0;
    q.b[1].y = p.a;
    pairs[id] = q;
    pairs[id].b[p.a] = 7;
    Base b = r;
    o[id].x = b.apply(2) + Ray::COUNT;
}
