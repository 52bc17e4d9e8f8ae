// options: entry=main profile=cs_6_8
// Shaders of other stages beside a compute shader: they are checked, but what they use is no mistake.
RWStructuredBuffer<uint> o;
RaytracingAccelerationStructure scene;
Texture2D<float4> image;
SamplerState smp;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> seen;
FeedbackTexture2DArray<SAMPLER_FEEDBACK_MIP_REGION_USED> layers[2];
static RayQuery<RAY_FLAG_NONE> query;

struct [raypayload] Payload {
  float4 colour : read(caller, closesthit) : write(caller, miss);
  uint depth : read(anyhit) : write();
};
struct Vertex { float4 at : SV_Position; nointerpolation float shade : SHADE; };
struct Mesh { uint meshlet; };
struct Record { uint3 grid : SV_DispatchGrid; uint value; };

[shader("pixel")] float4 pixel(Vertex v, uint n : SV_SampleIndex) : SV_Target {
  float a = EvaluateAttributeAtSample(v.shade, 1) + EvaluateAttributeCentroid(v.shade) + EvaluateAttributeSnapped(v.shade, int2(1, 2));
  float2 b = GetRenderTargetSamplePosition(n) * GetRenderTargetSampleCount();
  clip(a);
  seen.WriteSamplerFeedback(image, smp, b);
  layers[1].WriteSamplerFeedbackLevel(image, smp, b.xyy, 1.0);
  return GetAttributeAtVertex(v.shade, 0) + ddx_fine(a) + ddx(b.x);
}

float4 patch_constants(InputPatch<Vertex, 3> p) { return p[0].at; }
float4 patch_constants(InputPatch<Vertex, 4> p) { return p[p.Length - 1].at; }
float4 patch_constants(OutputPatch<Vertex, 3> p) { return p[1].at + 1; }
[shader("hull")] Vertex hull(InputPatch<Vertex, 3> p, uint i : SV_OutputControlPointID) {
  float4 edges; float2 rounded, unrounded;
  ProcessQuadTessFactorsMax(float4(1, 2, 3, 4), 1.0, edges, rounded, unrounded);
  p[i].at.w += patch_constants(p).x;
  return p[i];
}
[shader("geometry")] [maxvertexcount(3)] void geometry(triangle Vertex v[3], inout TriangleStream<Vertex> s) {
  for (int i = 0; i < 3; i++) s.Append(v[i]);
  s.RestartStrip();
}

[shader("amplification")] [numthreads(1, 1, 1)] void amplification() {
  Mesh m = { 3 };
  DispatchMesh(1, 1, 1, m);
}
[shader("mesh")] [outputtopology("triangle")] [numthreads(3, 1, 1)]
void mesh(in payload Mesh m, uint i : SV_GroupIndex, out vertices Vertex v[3], out indices uint3 t[1]) {
  SetMeshOutputCounts(3, 1);
  v[i].shade = m.meshlet;
  t[0] = uint3(0, 1, 2);
}

[shader("raygeneration")] void generate() {
  RayDesc ray = { WorldRayOrigin(), RayTMin(), float3(DispatchRaysIndex()) / DispatchRaysDimensions(), 1e30 };
  Payload p;
  p.depth = 0;
  TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 1, 0, ray, p);
  RAY_FLAG flags = RAY_FLAG_FORCE_OPAQUE;
  query.TraceRayInline(scene, flags, 0xff, ray);
  dx::HitObject hit = dx::HitObject::TraceRay(scene, flags, 0xff, 0, 1, 0, ray, p);
  dx::MaybeReorderThread(hit, 1, 2);
  if (hit.IsHit()) dx::HitObject::Invoke(hit, p);
  hit = dx::HitObject::MakeNop();
}
[shader("closesthit")] void closest(inout Payload p, BuiltInTriangleIntersectionAttributes a) {
  p.colour = float4(a.barycentrics, mul(ObjectToWorld3x4(), float4(WorldRayDirection(), 1)).xy);
  p.depth += HitKind() == HIT_KIND_TRIANGLE_FRONT_FACE ? PrimitiveIndex() : InstanceIndex();
}
[shader("anyhit")] void any_hit(inout Payload p, in Record r) {
  if (p.depth > r.value) IgnoreHit();
  AcceptHitAndEndSearch();
}
[shader("intersection")] void intersection() {
  Record r = (Record)0;
  ReportHit(RayTCurrent(), 1, r);
}

[shader("node")] [NodeLaunch("broadcasting")] [NodeMaxDispatchGrid(1, 1, 1)] [numthreads(1, 1, 1)]
void node(DispatchNodeInputRecord<Record> input, [MaxRecords(4)] NodeOutput<Record> out_, [MaxRecords(1)] [NodeArraySize(4)] NodeOutputArray<Record> many,
          [MaxRecords(1)] EmptyNodeOutput none) {
  ThreadNodeOutputRecords<Record> records = out_.GetThreadNodeOutputRecords(2);
  records[1].value = input.Get().value + GetRemainingRecursionLevels();
  records.Get().grid = 1;
  records.OutputComplete();
  GroupNodeOutputRecords<Record> others = many[3].GetGroupNodeOutputRecords(1);
  others.OutputComplete();
  if (many[2].IsValid()) none.ThreadIncrementOutputCount(1);
}

// Objects of templates, barriers on records, and what else only newer shader models have.
template <typename T> uint count(GroupNodeInputRecords<T> r) { return r.Count() + r[1].value; }
[shader("node")] [NodeLaunch("coalescing")] [numthreads(4, 1, 1)]
void gather([MaxRecords(4)] GroupNodeInputRecords<Record> r, globallycoherent RWDispatchNodeInputRecord<Record> w) {
  uint seen;
  InterlockedAdd(w.Get().value, count(r), seen);
  Barrier(w, DEVICE_SCOPE | GROUP_SYNC);
  if (w.FinishedCrossGroupSharing()) Barrier(NODE_INPUT_MEMORY, GROUP_SYNC);
}
RWTexture1D<float4> reordered;
[shader("miss")] void missed(inout Payload p) {
  dx::HitObject pair[2] = { dx::HitObject::MakeNop(), dx::HitObject::MakeMiss(0, 0, (RayDesc)0) };
  RayQuery<0> q;
  p.depth = pair[1].GetHitKind() + q.CommittedClusterID();
  reordered[0] = TriangleObjectPositions().p1.xyzz;
}
GlobalRootSignature signature = { "CBV(b0)" };
TriangleHitGroup group = { "any_hit", "closest" };
RaytracingPipelineConfig1 pipeline = { 4, RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES };
BlendState NoBlending { AlphaToCoverageEnable = FALSE; };
RenderTargetView target;

// Only declared: the linker of another tool has it.
export float elsewhere(float x);
float library_only(float x) { return elsewhere(x) + image.GatherCmpGreen(smp, 0).x; }

[numthreads(4, 4, 1)] void main(uint i : SV_GroupIndex) { o[i] = i; }
