// spirvc: -T cs_6_6 -E main -enable-16bit-types --emit asm
// Atomic operations on 64 bits of byte address buffers: a second variable in the same place.
RWByteAddressBuffer b;
globallycoherent RWByteAddressBuffer many[2];
RWByteAddressBuffer narrow;

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  int64_t before;
  uint64_t unsigned_before;
  b.InterlockedAdd64(id.x * 8, -1, before);
  b.InterlockedMin64(8, before);                                    // signed
  b.InterlockedMax64(16, (uint64_t)before, unsigned_before);        // not
  b.InterlockedCompareExchange64(24, unsigned_before, 5, unsigned_before);
  many[id.y].InterlockedCompareStore64(32, 1, unsigned_before);
  many[1].InterlockedExchange64(40, id.z, before);
  many[0].Store<uint64_t>(48, before);
  // The sign of a minimum is that of its value, and what was there has none.
  narrow.InterlockedMin(0, -1);
  narrow.InterlockedMin(4, 1);
  narrow.InterlockedMax(8, (int16_t)id.x, before);
  narrow.InterlockedAdd(12, (int)id.x, before);
  narrow.Store<int64_t>(16, before);
}
