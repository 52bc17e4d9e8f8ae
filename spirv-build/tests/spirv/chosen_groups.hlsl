// spirvc: -T cs_6_0 -E main --emit asm
// Structures of resources in an array, chosen by an index that is known at run time. Arrays of textures in them are single
// resources, with numbers as dxc gives them; buffers of structures have no gaps for counters.
struct Pair { Texture2D<float4> base, layers[2]; };
Pair pairs[3];
struct Lists {
  RWStructuredBuffer<float> values;
  float scale;
  void add(uint i, float v) { values[i] += v * scale; }
};
Lists lists[2];
RWStructuredBuffer<float4> o;

float4 both(Pair p, int3 at) { return p.base.Load(at) + p.layers[1].Load(at); }

[numthreads(8, 1, 1)]
void main(uint3 t : SV_DispatchThreadID) {
  int3 at = int3(t.xy, 0);
  o[t.x] = pairs[t.x % 3].layers[0].Load(at) + both(pairs[t.y % 3], at);
  for (int i = 0; i < 3; i++) o[t.y] += pairs[i].base.Load(at);
  lists[t.x & 1].add(t.y, 3);
}
