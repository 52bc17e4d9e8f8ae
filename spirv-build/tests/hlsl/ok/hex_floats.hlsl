// Hexadecimal numbers with a binary exponent. A point without an exponent starts a swizzle, whose letters may be digits.
static const float below_one = 0x1.fffffep-1;
static const double double_below_one = 0x1.fffffffffffffp-1L;
static const float small = 0x1.0p-24f;
static const half h = 0x.8P+1h;
static const float whole = 0xAp1;
static const float4 splat = 0x1.rrrr * 0xep-1;

[numthreads(1, 1, 1)]
void main() {}
