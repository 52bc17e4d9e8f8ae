// spirvc: -T cs_6_2 -E main --emit asm -Gis
// IEEE strictness: nothing is contracted.
RWStructuredBuffer<float> o;
float part(float a) { return a * 2 + 1; }
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  o[id] = part(o[id] / 3) - 4;
}
