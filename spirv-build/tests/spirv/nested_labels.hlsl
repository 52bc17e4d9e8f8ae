// spirvc: -T cs_6_0 -E main --emit asm
// Labels of a switch in blocks inside it, which only scope names; variables in front of the first label.
RWStructuredBuffer<int> o;

[numthreads(8, 1, 1)]
void main(uint3 t : SV_DispatchThreadID) {
  int r = 0;
  switch (t.x) {
    int k;
    case 0: {
      r += 1;
      case 1: r += 2; break;      // into the block; and its end is not the end of the case
    }
    case 2: {
      k = 5;
      { case 3: k = 7; }
      r += k;
      default: r += 8;
    }
  }
  switch (t.x) case 4: { r += 16; case 5: r += 32; }
  o[t.x] = r;
}
