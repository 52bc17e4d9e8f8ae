// options: entry=main profile=cs_6_8
struct Payload { float4 colour; };
struct Holder { TriangleStream<float4> stream; };
RWStructuredBuffer<uint> o;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> seen;
Holder held;
reordercoherent RWBuffer<float> early;
StructuredBuffer<dx::HitObject> hits;
float elsewhere(float x);

// Nothing reaches it: only what is wrong everywhere is reported.
void unused(InputPatch<float4, 3> p, Payload x) {
    DispatchMesh(1, 1, 1, x);
    SetMeshOutputCounts(1);
    ReportHit(1, 2, p[0]);
    p.Count();
    p[0].q = elsewhere(1);
    HitKinds();
    float s = p;
}
struct Traced {
    static uint depth(uint n) { return n + InstanceID(); }
    void trace(inout Payload p) { CallShader(0, p); }
};
template <typename T> T at(T x) { return EvaluateAttributeCentroid(x); }
float defaulted(float x = RayTMin()) { return x; }
TriangleStream<float4> make() { TriangleStream<float4> t; return t; }
static float before = elsewhere(2);

[numthreads(1, 1, 1)] void main() {
    Payload p;
    Traced t;
    t.trace(p);
    o[0] = Traced::depth(1) + at(1.5) + defaulted() + before;
    o[1] = elsewhere(3);
    make().RestartStrip();
    dx::HitObject hit;
    hit.IsHits();
    seen.WriteSamplerFeedback(p, p, 1.0);
    Holder h = held;
    InputPatch<float4> few;
    OutputPatch<float4, 3> patch;
    InputPatch<float4, 3> other = patch;
}
