// Intrinsic functions that are written in HLSL. What is declared here stands in a namespace of its own, and is found where the
// program declares nothing of the name.
namespace __spirvc {
typedef uint uint8_t4_packed;
typedef int int8_t4_packed;

// What the component of a scalar or vector is: unsigned, signed or floating point.
template <typename T> struct __spirvc_component { static const int kind = 0; };
template <> struct __spirvc_component<int> { static const int kind = 1; };
template <> struct __spirvc_component<int64_t> { static const int kind = 1; };
template <> struct __spirvc_component<float> { static const int kind = 2; };
template <> struct __spirvc_component<double> { static const int kind = 2; };
template <> struct __spirvc_component<half> { static const int kind = 2; };
template <> struct __spirvc_component<min16float> { static const int kind = 2; };
template <> struct __spirvc_component<min10float> { static const int kind = 2; };
template <> struct __spirvc_component<min16int> { static const int kind = 1; };
template <> struct __spirvc_component<min12int> { static const int kind = 1; };
#if __HLSL_ENABLE_16_BIT
template <> struct __spirvc_component<int16_t> { static const int kind = 1; };
#endif
template <typename T, int N> struct __spirvc_component<vector<T, N> > { static const int kind = __spirvc_component<T>::kind; };

// Where the samples of a texel lie, from its middle: the standard positions, which Vulkan and D3D share.
static const int2 __spirvc_positions_2[] = { int2(4, 4), int2(-4, -4) };
static const int2 __spirvc_positions_4[] = { int2(-2, -6), int2(6, -2), int2(-6, 2), int2(2, 6) };
static const int2 __spirvc_positions_8[] = {
  int2(1, -3), int2(-1, 3), int2(5, 1), int2(-3, -5), int2(-5, 5), int2(-7, -1), int2(3, 7), int2(7, -7)
};
static const int2 __spirvc_positions_16[] = {
  int2(1, 1), int2(-1, -3), int2(-3, 2), int2(4, -1), int2(-5, -2), int2(2, 5), int2(5, 3), int2(3, -5),
  int2(-2, 6), int2(0, -7), int2(-4, -6), int2(-6, 4), int2(-8, 0), int2(7, -4), int2(6, 7), int2(-7, -8)
};
float2 __spirvc_sample_position(uint samples, int index) {
  int2 sixteenths = int2(0, 0);
  if (uint(index) < samples) {
    switch (samples) {
      case 2: sixteenths = __spirvc_positions_2[index]; break;
      case 4: sixteenths = __spirvc_positions_4[index]; break;
      case 8: sixteenths = __spirvc_positions_8[index]; break;
      case 16: sixteenths = __spirvc_positions_16[index]; break;
    }
  }
  return float2(sixteenths) / 16;
}

float4 dst(float4 a, float4 b) { return float4(1, a.y * b.y, a.z, b.w); }
float4 lit(float light, float view, float power) {
  return float4(1, max(light, 0), light < 0 || view < 0 ? 0 : pow(view, power), 1);
}
int4 D3DCOLORtoUBYTE4(float4 colour) { return int4(colour.zyxw * 255.001953); }

// Pairs of 32 bits as numbers of 64; there is none of other sizes.
uint AddUint64(uint a, uint b);
uint3 AddUint64(uint3 a, uint3 b);
uint2 AddUint64(uint2 a, uint2 b) {
  uint low = a.x + b.x;
  return uint2(low, a.y + b.y + (low < a.x ? 1 : 0));
}
uint4 AddUint64(uint4 a, uint4 b) { return uint4(AddUint64(a.xy, b.xy), AddUint64(a.zw, b.zw)); }

// Whether the exponent is neither that of zero nor that of infinity: less one, it is below the largest.
bool isnormal(float x) { return (asuint(x) & 0x7f800000) - 0x800000 < 0x7f000000; }
template <int N> vector<bool, N> isnormal(vector<float, N> x) {
  return (asuint(x) & 0x7f800000) - 0x800000 < 0x7f000000;
}
template <int R, int C> matrix<bool, R, C> isnormal(matrix<float, R, C> x) {
  matrix<bool, R, C> r;
  for (int i = 0; i < R; i++) r[i] = isnormal(x[i]);
  return r;
}
#if __HLSL_ENABLE_16_BIT
bool isnormal(half x) { return uint(asuint16(x) & 0x7c00) - 0x400 < 0x7800; }
template <int N> vector<bool, N> isnormal(vector<half, N> x) {
  return vector<uint, N>(asuint16(x) & 0x7c00) - 0x400 < 0x7800;
}
template <int R, int C> matrix<bool, R, C> isnormal(matrix<half, R, C> x) {
  matrix<bool, R, C> r;
  for (int i = 0; i < R; i++) r[i] = isnormal(x[i]);
  return r;
}
#endif

uint differences(uint reference, uint source) {
  uint sum = 0;
  for (uint i = 0; i < 32; i += 8) {
    int a = (reference >> i) & 0xff, b = (source >> i) & 0xff;
    sum += a == 0 ? 0 : abs(a - b);
  }
  return sum;
}
uint4 msad4(uint reference, uint2 source, uint4 sum) {
  uint4 at = uint4(source.x, source.x >> 8 | source.y << 24, source.x >> 16 | source.y << 16,
                   source.x >> 24 | source.y << 8);
  return sum + uint4(differences(reference, at.x), differences(reference, at.y), differences(reference, at.z),
                     differences(reference, at.w));
}

uint4 unpack_u8u32(uint packed) { return uint4(packed, packed >> 8, packed >> 16, packed >> 24) & 0xff; }
int4 unpack_s8s32(uint packed) { return int4(packed << 24, packed << 16, packed << 8, packed) >> 24; }
uint pack_u8(int4 v);
uint pack_s8(int4 v);
uint pack_u8(uint4 v) { return v.x & 0xff | (v.y & 0xff) << 8 | (v.z & 0xff) << 16 | v.w << 24; }
uint pack_u8(int4 v) { return pack_u8((uint4)v); }
uint pack_s8(int4 v) { return pack_u8((uint4)v); }
uint pack_s8(uint4 v) { return pack_u8(v); }
uint pack_clamp_u8(int4 v) { return pack_u8((uint4)clamp(v, 0, 255)); }
uint pack_clamp_s8(int4 v) { return pack_u8((uint4)clamp(v, -128, 127)); }
uint dot4add_u8packed(uint a, uint b, uint sum) {
  uint4 products = unpack_u8u32(a) * unpack_u8u32(b);
  return sum + products.x + products.y + products.z + products.w;
}
int dot4add_i8packed(uint a, uint b, int sum) {
  int4 products = unpack_s8s32(a) * unpack_s8s32(b);
  return sum + products.x + products.y + products.z + products.w;
}
float dot2add(half2 a, half2 b, float sum) { return sum + ((float)a.x * (float)b.x + (float)a.y * (float)b.y); }
#if __HLSL_ENABLE_16_BIT
uint16_t4 unpack_u8u16(uint packed) { return (uint16_t4)unpack_u8u32(packed); }
int16_t4 unpack_s8s16(uint packed) { return (int16_t4)unpack_s8s32(packed); }
uint pack_u8(uint16_t4 v) { return pack_u8((uint4)v); }
uint pack_u8(int16_t4 v) { return pack_u8((uint4)v); }
uint pack_s8(int16_t4 v) { return pack_u8((uint4)v); }
uint pack_s8(uint16_t4 v) { return pack_u8((uint4)v); }
uint pack_clamp_u8(int16_t4 v) { return pack_clamp_u8((int4)v); }
uint pack_clamp_s8(int16_t4 v) { return pack_clamp_s8((int4)v); }
#endif

bool QuadAny(bool condition) {
  uint c = condition ? 1 : 0;
  return (QuadReadLaneAt(c, 0) | QuadReadLaneAt(c, 1) | QuadReadLaneAt(c, 2) | QuadReadLaneAt(c, 3)) != 0;
}
bool QuadAll(bool condition) {
  uint c = condition ? 1 : 0;
  return (QuadReadLaneAt(c, 0) & QuadReadLaneAt(c, 1) & QuadReadLaneAt(c, 2) & QuadReadLaneAt(c, 3)) != 0;
}

// Of partitions of a wave (SPV_NV_shader_subgroup_partitioned): scope 3 is the wave, group operation 8 scans a partition
// exclusively.
template <typename T>
[[vk::ext_capability(5297)]] [[vk::ext_extension("SPV_NV_shader_subgroup_partitioned")]] [[vk::ext_instruction(5296)]]
uint4 WaveMatch(T value);
template <typename T>
[[vk::ext_capability(5297)]] [[vk::ext_extension("SPV_NV_shader_subgroup_partitioned")]] [[vk::ext_instruction(349)]]
T scan_iadd(uint scope, [[vk::ext_literal]] uint operation, T value, uint4 lanes);
template <typename T>
[[vk::ext_capability(5297)]] [[vk::ext_extension("SPV_NV_shader_subgroup_partitioned")]] [[vk::ext_instruction(350)]]
T scan_fadd(uint scope, [[vk::ext_literal]] uint operation, T value, uint4 lanes);
template <typename T>
[[vk::ext_capability(5297)]] [[vk::ext_extension("SPV_NV_shader_subgroup_partitioned")]] [[vk::ext_instruction(351)]]
T scan_imul(uint scope, [[vk::ext_literal]] uint operation, T value, uint4 lanes);
template <typename T>
[[vk::ext_capability(5297)]] [[vk::ext_extension("SPV_NV_shader_subgroup_partitioned")]] [[vk::ext_instruction(352)]]
T scan_fmul(uint scope, [[vk::ext_literal]] uint operation, T value, uint4 lanes);
template <typename T>
[[vk::ext_capability(5297)]] [[vk::ext_extension("SPV_NV_shader_subgroup_partitioned")]] [[vk::ext_instruction(359)]]
T scan_and(uint scope, [[vk::ext_literal]] uint operation, T value, uint4 lanes);
template <typename T>
[[vk::ext_capability(5297)]] [[vk::ext_extension("SPV_NV_shader_subgroup_partitioned")]] [[vk::ext_instruction(360)]]
T scan_or(uint scope, [[vk::ext_literal]] uint operation, T value, uint4 lanes);
template <typename T>
[[vk::ext_capability(5297)]] [[vk::ext_extension("SPV_NV_shader_subgroup_partitioned")]] [[vk::ext_instruction(361)]]
T scan_xor(uint scope, [[vk::ext_literal]] uint operation, T value, uint4 lanes);
template <typename T> T WaveMultiPrefixSum(T value, uint4 lanes) {
  if (__spirvc_component<T>::kind == 2) {
    return scan_fadd(3, 8, value, lanes);
  } else {
    return scan_iadd(3, 8, value, lanes);
  }
}
template <typename T> T WaveMultiPrefixProduct(T value, uint4 lanes) {
  if (__spirvc_component<T>::kind == 2) {
    return scan_fmul(3, 8, value, lanes);
  } else {
    return scan_imul(3, 8, value, lanes);
  }
}
template <typename T> T WaveMultiPrefixBitAnd(T value, uint4 lanes) { return scan_and(3, 8, value, lanes); }
template <typename T> T WaveMultiPrefixBitOr(T value, uint4 lanes) { return scan_or(3, 8, value, lanes); }
template <typename T> T WaveMultiPrefixBitXor(T value, uint4 lanes) { return scan_xor(3, 8, value, lanes); }
// Group operation 2 counts the lanes before this one.
template <typename T> [[vk::ext_instruction(342)]] T count_before(uint scope, [[vk::ext_literal]] uint operation, uint4 lanes);
uint WaveMultiPrefixCountBits(bool value, uint4 lanes) {
  return count_before<uint>(3, 2, WaveActiveBallot(value) & lanes);
}

template <typename T> [[vk::ext_instruction(124)]] double double_of(T words);
template <typename T> [[vk::ext_instruction(124)]] uint2 words_of(T value);
double asdouble(uint low, uint high) { return double_of(uint2(low, high)); }
void asuint(double value, out uint low, out uint high) {
  uint2 words = words_of(value);
  low = words.x;
  high = words.y;
}

// Numbers of 64 bits by their halves. What is searched in a negative number is the highest bit that is zero.
uint countbits(uint64_t v) { return countbits((uint)v) + countbits((uint)(v >> 32)); }
uint countbits(int64_t v) { return countbits((uint64_t)v); }
uint firstbithigh(uint64_t v) {
  uint high = firstbithigh((uint)(v >> 32));
  return high == 0xffffffff ? firstbithigh((uint)v) : high + 32;
}
uint firstbithigh(int64_t v) { return firstbithigh((uint64_t)(v < 0 ? ~v : v)); }
uint firstbitlow(uint64_t v) {
  uint low = firstbitlow((uint)v), high = firstbitlow((uint)(v >> 32));
  return low != 0xffffffff ? low : high == 0xffffffff ? high : high + 32;
}
uint firstbitlow(int64_t v) { return firstbitlow((uint64_t)v); }
uint64_t reversebits(uint64_t v) {
  return (uint64_t)reversebits((uint)v) << 32 | (uint64_t)reversebits((uint)(v >> 32));
}
int64_t reversebits(int64_t v) { return (int64_t)reversebits((uint64_t)v); }
#if __HLSL_ENABLE_16_BIT
uint countbits(uint16_t v) { return countbits((uint)v); }
uint countbits(int16_t v) { return countbits((uint)v & 0xffff); }
uint firstbithigh(uint16_t v) { return firstbithigh((uint)v); }
uint firstbithigh(int16_t v) { return firstbithigh((int)v); }
uint firstbitlow(uint16_t v) { return firstbitlow((uint)v); }
uint firstbitlow(int16_t v) { return firstbitlow((uint)v & 0xffff); }
uint16_t reversebits(uint16_t v) { return (uint16_t)(reversebits((uint)v) >> 16); }
int16_t reversebits(int16_t v) { return (int16_t)(reversebits((uint)v & 0xffff) >> 16); }
#endif

// Component by component.
#define SPIRVC_VECTORS(R, NAME, T)                                             \
  R##2 NAME(T##2 v) { return R##2(NAME(v.x), NAME(v.y)); }                      \
  R##3 NAME(T##3 v) { return R##3(NAME(v.x), NAME(v.y), NAME(v.z)); }           \
  R##4 NAME(T##4 v) { return R##4(NAME(v.x), NAME(v.y), NAME(v.z), NAME(v.w)); }
#define SPIRVC_BITS(T)                                                         \
  SPIRVC_VECTORS(uint, countbits, T)                                           \
  SPIRVC_VECTORS(uint, firstbithigh, T)                                        \
  SPIRVC_VECTORS(uint, firstbitlow, T)                                         \
  SPIRVC_VECTORS(T, reversebits, T)
SPIRVC_BITS(int64_t)
SPIRVC_BITS(uint64_t)
#if __HLSL_ENABLE_16_BIT
SPIRVC_BITS(int16_t)
SPIRVC_BITS(uint16_t)
#endif
#define SPIRVC_DOUBLES(N)                                                      \
  double##N asdouble(uint##N low, uint##N high) {                              \
    double##N result;                                                          \
    for (uint i = 0; i < N; ++i) {                                             \
      result[i] = asdouble(low[i], high[i]);                                   \
    }                                                                          \
    return result;                                                             \
  }                                                                            \
  void asuint(double##N value, out uint##N low, out uint##N high) {            \
    for (uint i = 0; i < N; ++i) {                                             \
      uint2 words = words_of(value[i]);                                        \
      low[i] = words.x;                                                        \
      high[i] = words.y;                                                       \
    }                                                                          \
  }
SPIRVC_DOUBLES(2)
SPIRVC_DOUBLES(3)
SPIRVC_DOUBLES(4)
template <int R, int C>
void asuint(matrix<double, R, C> value, out matrix<uint, R, C> low, out matrix<uint, R, C> high) {
  for (uint i = 0; i < R; ++i) {
    for (uint j = 0; j < C; ++j) {
      uint2 words = words_of(value[i][j]);
      low[i][j] = words.x;
      high[i][j] = words.y;
    }
  }
}
} // namespace __spirvc
