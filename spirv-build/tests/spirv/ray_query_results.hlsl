// spirvc: -T cs_6_5 -E main -HV 2021 -fspv-target-env=vulkan1.2 --emit asm
RaytracingAccelerationStructure scene;
RWStructuredBuffer<float> result;

typedef RayQuery<RAY_FLAG_FORCE_OPAQUE> Opaque;

// The flags of a query tell the template's argument.
template<RAY_FLAG Flags>
float distance_of(in RayQuery<Flags> q) { return q.CommittedStatus() == COMMITTED_TRIANGLE_HIT ? q.CommittedRayT() : Flags; }

// A query that is returned is the caller's variable. The name is that of an intrinsic of other stages, which it does not hide.
template<typename Query>
Query TraceRay(RayDesc ray) {
  Query q;
  q.TraceRayInline(scene, RAY_FLAG_NONE, 0xff, ray);
  while (q.Proceed()) {}
  return q;
}

struct Payload { float hit; };
void trace_elsewhere(RayDesc ray, inout Payload p) { TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 0, 0, ray, p); }

// Passed on, and under a name with more than one way out.
Opaque passed_on(RayDesc ray) { return TraceRay<Opaque>(ray); }
Opaque again_if_missed(RayDesc ray) {
  Opaque found = passed_on(ray);
  if (found.CommittedStatus() == COMMITTED_TRIANGLE_HIT) return found;
  ray.TMax *= 2;
  found.TraceRayInline(scene, RAY_FLAG_NONE, 0xff, ray);
  return found;
}

Opaque nothing_traced() { Opaque q; return q; }

// A user's template that takes other arguments than an intrinsic does not hide it either.
template<typename T>
T lerp(T a, int2 b) { return a * T(b.x); }

[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  RayDesc ray = { float3(0, 0, id), 0.1, float3(0, 1, 0), 100 };
  Opaque first = again_if_missed(ray);
  ray.Origin.x = 1;
  Opaque second = passed_on(ray);
  passed_on(ray);
  Opaque untouched = nothing_traced();
  result[id] = distance_of(first) + distance_of(second) + TraceRay<Opaque>(ray).CommittedRayT();
  result[id] += lerp(result[id], 2.0, 0.5) + lerp(result[id], int2(id, id));
}
