// spirvc: -T cs_6_2 -E main -O3 --emit ir
// Vectors of one component have an element, casts to fewer components can be assigned, arrays of resources of any size are
// parameters of any size, halves are in matrices too, and a space is any number.
Texture2D<float4> four[4] : register(t0, space214743647);
Texture2D<float4> many[] : register(t9);
RWStructuredBuffer<float4> o;
RWStructuredBuffer<uint2> halves;
struct One { float1 f; vector<int, 1> g; };
float1 get(float1 x) { return x[0] + 3; }
float4 any_size(Texture2D<float4> list[], int3 at) { return list[0].Load(at); }
float4 of_four(Texture2D<float4> list[4], int3 at) { return list[1].Load(at); }

// None of these is reached.
void takes_any(out float x[], inout float y[]) { int none[0]; }
float reads_row(int3x3 m) { return m[3].x; }
void writes(inout float4x4 m, float3 row) { ((float3x3)m)[1] = row; }
void status(ByteAddressBuffer b) { uint s; b.Load2(4, s); }

[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {
  One one;
  one.f[0] = 3;
  one.g[i] = 4;
  float1 list[2];
  list[1][0] = 2;
  list[0] = get(i)[0];
  ((float)o[i]) = one.f[0] + one.g + list[i][0];
  (float3)o[1] += float3(1, 2, 3);
  o[2] = any_size(four, 0) + any_size(many, 1) + of_four(four, 2) + of_four(many, 3);
  uint2x2 bits = f32tof16(float2x2(o[3]));
  halves[0] = bits[1];
  o[4] = (float4)f16tof32(bits);
}
