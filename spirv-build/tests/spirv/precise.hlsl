// spirvc: -T cs_6_2 -E main --emit asm -O0
// What flows into something `precise` is not contracted, and nothing else. The first factor tells which line it is.
RWStructuredBuffer<float> o;
struct Part { precise float x; float y; };
precise static float global;
groupshared precise float shared_;

float free(float a) { return a * 100 + 1; }
precise float result(float a) { float r = a * 201 + 1; return r; }
float parameter(precise float a, precise inout float b) { b = b * 202; return a * 101; }

[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  float a = o[id];
  float free_ = a * 102;
  float feeds = a * 203;
  float chain = feeds - a * 204;
  precise float p = chain + a * 205;
  p += free(a * 103);
  p = a * 104 > 1 ? a * 206 : sqrt(a * 207);
  float2 v = float2(a * 208, -a);
  p -= v.y;
  Part part;
  part.x = a * 209;
  part.y = a * 105;
  global = a * 210;
  shared_ = a * 211;
  float before = a * 212;
  float out_;
  out_ = a * 213;
  o[0] = parameter(before, out_);
  float x = a;
  for (int i = 0; i < 3; i++) {
    precise float y = x;
    x = x * 214 + i;
  }
  o[1] = p + free_ + part.x + part.y + result(a) + mad(a, 106, 1);
  precise float m = mad(a, 215, 1);
  o[2] = m;
}
