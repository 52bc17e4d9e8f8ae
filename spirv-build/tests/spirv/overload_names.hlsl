// spirvc: -T cs_6_6 -E main -O3 --emit asm
// Types that are the same but for their names are distinct where functions or templates tell them apart. Each line stores which
// function was called, or which specialisation was meant.
RWStructuredBuffer<uint> o;
uint f(float x) { return 1; }
uint f(half x) { return 2; }
uint f(min16float x) { return 3; }
uint f(min10float x) { return 4; }
uint g(int x) { return 5; }
uint g(min16int x) { return 6; }
uint g(min12int x) { return 7; }
uint p(uint x) { return 8; }
uint p(int8_t4_packed x) { return 9; }
uint p(uint8_t4_packed x) { return 10; }
uint v(half2 x) { return 11; }
uint v(float2 x) { return 12; }
template <typename T> struct Kind { static const uint value = 13; };
template <> struct Kind<half> { static const uint value = 14; };
template <> struct Kind<float> { static const uint value = 15; };
struct S { half h; min10float m; };
half twice(half x) { return x * 2; }
float4 scale(float4 x) { return x * 3; }
half4 scale(half4 x) { return x * 2; }
void both(inout float x, out half y) { y = x; x = 4; }
[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {
  float a = i;
  half b = i;
  min16float c = i;
  min10float d = i;
  S s = { b, d };
  half list[2] = { a, b };
  o[0] = f(a); o[1] = f(b); o[2] = f(c); o[3] = f(d);
  o[4] = f(a * b); o[5] = f(b * b); o[6] = f(b * 2.0); o[7] = f(c + d); o[8] = f(d % 10.0);
  o[9] = f(s.h); o[10] = f(s.m); o[11] = f(list[1]); o[12] = f(twice(a)); o[13] = f((half)a); o[14] = f(sin(d));
  min12int e = i;
  min16int k = i;
  o[15] = g(e); o[16] = g(k); o[17] = g(i); o[18] = g(e >> 10); o[19] = g(e + k);
  int8_t4_packed signed_bytes = pack_s8(int4(i, 1, 2, 3));
  uint8_t4_packed bytes = pack_u8(uint4(i, 1, 2, 3));
  o[20] = p(i); o[21] = p(signed_bytes); o[22] = p(bytes); o[23] = unpack_u8u32(bytes).y + unpack_s8s32(signed_bytes).z;
  o[24] = v(half2(a, b)); o[25] = v(float2(a, b)); o[26] = v((half2)0.5);
  o[27] = Kind<half>::value; o[28] = Kind<float>::value; o[29] = Kind<min10float>::value;
  o[30] = asuint(b) + (uint)scale((half4)i).x + (uint)scale((float4)i).x;
  half swapped = b;
  float other;
  both(swapped, other);
  o[31] = swapped + other;
}
