// spirvc: -T cs_6_2 -E main -enable-16bit-types --emit asm
// What numbers of different widths and signs have in common: the wider width, and no sign if one has none; `bool` has no width.
RWStructuredBuffer<int> o;
RWStructuredBuffer<float> f;

[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  int i = -4 - (int)id;
  int64_t l = i;
  uint u = id;
  uint16_t us = (uint16_t)id;
  int16_t s = (int16_t)i;
  bool b = id > 2;
  o[0] = l < u;           // uint64_t
  o[1] = i < us;          // uint
  f[0] = i / us;          // uint
  f[1] = b - us;          // uint16_t
  f[2] = s + b;           // int16_t
  f[3] = s * us;          // uint16_t
  f[4] = max(i, us);      // uint
  i /= us;                // uint
  o[2] = i;
}
