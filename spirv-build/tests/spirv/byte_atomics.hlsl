// spirvc: -T cs_6_6 -E main --emit asm
// Floats in byte address buffers are exchanged and compared by their bits.
RWByteAddressBuffer b;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  float before;
  b.InterlockedExchangeFloat(4, 2.5, before);
  b.InterlockedCompareExchangeFloatBitwise(id * 4, before, 3, before);
  b.InterlockedCompareStoreFloatBitwise(8, before, 4);
  int old;
  b.InterlockedMin(12, -1, old);
  b.Store(16, before + old);
}
