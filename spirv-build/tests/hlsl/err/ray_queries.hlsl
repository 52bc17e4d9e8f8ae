RaytracingAccelerationStructure scene;
// options: profile=cs_6_5
static RayQuery<0> global_query;
RWStructuredBuffer<uint> o;
RayQuery<0> parameter(RayQuery<0> q) { return q; }
RayQuery<0> one_of_two(bool x) { RayQuery<0> p, q; if (x) return p; return q; }
RayQuery<0> hidden() { RayQuery<0> q; { RayQuery<0> q; return q; } }
RayQuery<0> nothing() { RayQuery<0> q; }
RayQuery<1> other() { RayQuery<0> q; return q; }
[numthreads(1, 1, 1)] void main() {
    RayQuery<0> a, b = RayQuery<0>(), list[2];
    a = b;
    RayQuery<0> c = a;
    RayQuery<0> g = parameter(a), h = one_of_two(true), i = hidden(), j = nothing();
    RayQuery<0> k = other();
    a = parameter(list[0]);
    int l = parameter(a);
    const RayQuery<0> m;
    list[1] = a;
    RayQuery<0> d[2] = list;
    static RayQuery<0> e;
    o[0] = a.CommittedStatus() + global_query.CommittedStatus();
    RayQuery<RAY_FLAG_FORCE_OMM_2_STATE> f;
    RayDesc ray = (RayDesc)0;
    a.TraceRayInline(scene, RAY_FLAG_FORCE_OPAQUE | RAY_FLAG_FORCE_OMM_2_STATE, 2, ray);
}
