// spirvc: --emit asm -T cs_6_2 -O0
// What suffixes make of numbers: `l` is 32 bits, `ll` 64. Bits of constants are constants.
RWStructuredBuffer<int> o;
RWStructuredBuffer<int64_t> w;
RWStructuredBuffer<double> d;
groupshared float sized[asuint(1.0) >> 28];
static_assert(asuint(1.#INF) == 0x7f800000 && asint(-1.0f) == 0xbf800000l && asfloat(0x40000000) == 2, "bits");
RWStructuredBuffer<uint> chars;
[numthreads(1, 1, 1)]
void main(uint i : SV_GroupIndex) {
    int n = i;
    o[0] = n / 3l;    // OpSDiv of int
    o[1] = n / 3ul;   // OpUDiv of uint
    w[0] = n / 3ll;   // OpSDiv of int64_t
    w[1] = n / 3ull;  // OpUDiv of uint64_t
    d[0] = i * 1.5f64;
    sized[i & 1] = 1.5f32;
    o[2] = sized[0];
    // Powers of two behind hexadecimal digits, and characters, which are `uint`.
    chars[0] = asuint(0x1.8p1) + asuint(0x.8p-3f) + (uint)0xFFp+2;
    chars[1] = asuint(0x1p4.xx.y);
    chars[2] = 'a' - 'b' > 0 ? '\x41' : '\101';
    chars[3] = '\xff' + '\'' + '\e' + '\0' + '\12';
}
