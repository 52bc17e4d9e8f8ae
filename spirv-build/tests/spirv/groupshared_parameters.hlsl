// spirvc: --emit asm -T cs_6_6 -HV 202x -O0
// Parameters that stand for the caller's groupshared memory: nothing is copied, and atomics work.
groupshared uint data[64]; groupshared uint one; struct P { float3 a; uint b; }; groupshared P p[4];
RWStructuredBuffer<uint> o;
void put(groupshared uint x, uint v) { x = v; }
uint sum(groupshared uint list[64]) { uint s = 0; for (uint i = 0; i < 64; ++i) s += list[i]; list[0] = s; return s; }
void through(groupshared uint list[64], uint i) { put(list[i], i); sum(list); }
template<typename T> T twice(groupshared T x) { x = x + x; return x; }

void ps(groupshared P q) { q.b = 3; q.a.y = 2; InterlockedAdd(q.b, 2); }
[numthreads(64,1,1)] void main(uint i : SV_GroupIndex) {
  put(data[i], i); put(one, 3); through(data, i); ps(p[i & 3]); put(p[1].b, 7);
  GroupMemoryBarrierWithGroupSync();
  o[i] = sum(data) + twice(one) + twice(p[i&3].b);
}
