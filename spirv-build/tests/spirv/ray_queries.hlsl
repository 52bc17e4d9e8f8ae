// spirvc: -T cs_6_5 -E main -fspv-target-env=vulkan1.2 --emit asm
RaytracingAccelerationStructure scene;
RWStructuredBuffer<float4> result;

bool hit(RayQuery<RAY_FLAG_CULL_NON_OPAQUE> q) { return q.CommittedStatus() == COMMITTED_TRIANGLE_HIT; }

[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  RayQuery<RAY_FLAG_CULL_NON_OPAQUE> q = RayQuery<RAY_FLAG_CULL_NON_OPAQUE>();
  RayDesc ray = { float3(0, 0, id), 0.1, float3(0, 1, 0), 100 };
  q.TraceRayInline(scene, RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES, 0xff, ray);
  while (q.Proceed()) {
    if (q.CandidateType() == CANDIDATE_PROCEDURAL_PRIMITIVE && q.CandidateProceduralPrimitiveNonOpaque()) {
      q.CommitProceduralPrimitiveHit(2);
    } else {
      q.CommitNonOpaqueTriangleHit();
    }
  }
  if (hit(q)) {
    float3x4 m = q.CommittedObjectToWorld3x4();
    result[id] = float4(mul(m, float4(q.WorldRayOrigin(), 1)), q.CommittedRayT());
    result[id].xy += q.CommittedTriangleBarycentrics();
  }
}
