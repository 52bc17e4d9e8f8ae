// Operations chosen by type. Arithmetic and conversions are the instructions of SPIR-V for exactly these types, on scalars and
// vectors alike: a conversion between integers of different widths extends by the sign of its result.
#pragma once

namespace vk {
namespace util {
namespace instructions {
template <typename R, typename A> [[vk::ext_instruction(109)]] R float_to_unsigned(A value);
template <typename R, typename A> [[vk::ext_instruction(110)]] R float_to_signed(A value);
template <typename R, typename A> [[vk::ext_instruction(111)]] R signed_to_float(A value);
template <typename R, typename A> [[vk::ext_instruction(112)]] R unsigned_to_float(A value);
template <typename R, typename A> [[vk::ext_instruction(113)]] R unsigned_width(A value);
template <typename R, typename A> [[vk::ext_instruction(114)]] R signed_width(A value);
template <typename R, typename A> [[vk::ext_instruction(115)]] R float_width(A value);
template <typename R, typename A> [[vk::ext_instruction(124)]] R bits(A value);
template <typename R, typename A> [[vk::ext_instruction(83)]] R same(A value);
template <typename T> [[vk::ext_instruction(126)]] T i_negate(T a);
template <typename T> [[vk::ext_instruction(127)]] T f_negate(T a);
template <typename T> [[vk::ext_instruction(128)]] T i_add(T a, T b);
template <typename T> [[vk::ext_instruction(129)]] T f_add(T a, T b);
template <typename T> [[vk::ext_instruction(130)]] T i_sub(T a, T b);
template <typename T> [[vk::ext_instruction(131)]] T f_sub(T a, T b);
template <typename T> [[vk::ext_instruction(132)]] T i_mul(T a, T b);
template <typename T> [[vk::ext_instruction(133)]] T f_mul(T a, T b);
template <typename T> [[vk::ext_instruction(134)]] T u_div(T a, T b);
template <typename T> [[vk::ext_instruction(135)]] T s_div(T a, T b);
template <typename T> [[vk::ext_instruction(136)]] T f_div(T a, T b);
} // namespace instructions

// A row for each kind of component: the instructions that negate, add, subtract, multiply and divide.
template <class ComponentType> class ArithmeticSelector;

#define SPIRVC_ARITHMETIC(C, NEGATE, ADD, SUB, MUL, DIV)                       \
  template <> class ArithmeticSelector<C> {                                    \
    template <class T> static T Negate(T a) { return instructions::NEGATE(a); } \
    template <class T> static T Add(T a, T b) { return instructions::ADD(a, b); } \
    template <class T> static T Sub(T a, T b) { return instructions::SUB(a, b); } \
    template <class T> static T Mul(T a, T b) { return instructions::MUL(a, b); } \
    template <class T> static T Div(T a, T b) { return instructions::DIV(a, b); } \
  };
SPIRVC_ARITHMETIC(float, f_negate, f_add, f_sub, f_mul, f_div)
SPIRVC_ARITHMETIC(double, f_negate, f_add, f_sub, f_mul, f_div)
SPIRVC_ARITHMETIC(int, i_negate, i_add, i_sub, i_mul, s_div)
SPIRVC_ARITHMETIC(int64_t, i_negate, i_add, i_sub, i_mul, s_div)
SPIRVC_ARITHMETIC(uint, i_negate, i_add, i_sub, i_mul, u_div)
SPIRVC_ARITHMETIC(uint64_t, i_negate, i_add, i_sub, i_mul, u_div)
SPIRVC_ARITHMETIC(half, f_negate, f_add, f_sub, f_mul, f_div)
#if __HLSL_ENABLE_16_BIT
SPIRVC_ARITHMETIC(int16_t, i_negate, i_add, i_sub, i_mul, s_div)
SPIRVC_ARITHMETIC(uint16_t, i_negate, i_add, i_sub, i_mul, u_div)
#endif
#undef SPIRVC_ARITHMETIC

template <class SourceType, class TargetType> class ConversionSelector;

#define SPIRVC_CONVERT(S, T, INSTRUCTION)                                      \
  template <> class ConversionSelector<S, T> {                                 \
    template <class R, class A> static R Convert(A value) {                    \
      return instructions::INSTRUCTION<R>(value);                              \
    }                                                                          \
  };
SPIRVC_CONVERT(int, int, same)
SPIRVC_CONVERT(int, uint, bits)
SPIRVC_CONVERT(int, int64_t, signed_width)
SPIRVC_CONVERT(int, uint64_t, unsigned_width)
SPIRVC_CONVERT(int, float, signed_to_float)
SPIRVC_CONVERT(int, double, signed_to_float)
SPIRVC_CONVERT(uint, int, bits)
SPIRVC_CONVERT(uint, uint, same)
SPIRVC_CONVERT(uint, int64_t, signed_width)
SPIRVC_CONVERT(uint, uint64_t, unsigned_width)
SPIRVC_CONVERT(uint, float, unsigned_to_float)
SPIRVC_CONVERT(uint, double, unsigned_to_float)
SPIRVC_CONVERT(int64_t, int, signed_width)
SPIRVC_CONVERT(int64_t, uint, unsigned_width)
SPIRVC_CONVERT(int64_t, int64_t, same)
SPIRVC_CONVERT(int64_t, uint64_t, bits)
SPIRVC_CONVERT(int64_t, float, signed_to_float)
SPIRVC_CONVERT(int64_t, double, signed_to_float)
SPIRVC_CONVERT(uint64_t, int, signed_width)
SPIRVC_CONVERT(uint64_t, uint, unsigned_width)
SPIRVC_CONVERT(uint64_t, int64_t, bits)
SPIRVC_CONVERT(uint64_t, uint64_t, same)
SPIRVC_CONVERT(uint64_t, float, unsigned_to_float)
SPIRVC_CONVERT(uint64_t, double, unsigned_to_float)
SPIRVC_CONVERT(float, int, float_to_signed)
SPIRVC_CONVERT(float, uint, float_to_unsigned)
SPIRVC_CONVERT(float, int64_t, float_to_signed)
SPIRVC_CONVERT(float, uint64_t, float_to_unsigned)
SPIRVC_CONVERT(float, float, same)
SPIRVC_CONVERT(float, double, float_width)
SPIRVC_CONVERT(double, int, float_to_signed)
SPIRVC_CONVERT(double, uint, float_to_unsigned)
SPIRVC_CONVERT(double, int64_t, float_to_signed)
SPIRVC_CONVERT(double, uint64_t, float_to_unsigned)
SPIRVC_CONVERT(double, float, float_width)
SPIRVC_CONVERT(double, double, same)
SPIRVC_CONVERT(int, half, signed_to_float)
SPIRVC_CONVERT(uint, half, unsigned_to_float)
SPIRVC_CONVERT(int64_t, half, signed_to_float)
SPIRVC_CONVERT(uint64_t, half, unsigned_to_float)
SPIRVC_CONVERT(half, int, float_to_signed)
SPIRVC_CONVERT(half, uint, float_to_unsigned)
SPIRVC_CONVERT(half, int64_t, float_to_signed)
SPIRVC_CONVERT(half, uint64_t, float_to_unsigned)
SPIRVC_CONVERT(half, half, same)
SPIRVC_CONVERT(half, double, float_width)
SPIRVC_CONVERT(double, half, float_width)
#if __HLSL_ENABLE_16_BIT
SPIRVC_CONVERT(int16_t, int16_t, same)
SPIRVC_CONVERT(int16_t, uint16_t, bits)
SPIRVC_CONVERT(int16_t, int, signed_width)
SPIRVC_CONVERT(int16_t, uint, unsigned_width)
SPIRVC_CONVERT(int16_t, int64_t, signed_width)
SPIRVC_CONVERT(int16_t, uint64_t, unsigned_width)
SPIRVC_CONVERT(int16_t, float, signed_to_float)
SPIRVC_CONVERT(int16_t, double, signed_to_float)
SPIRVC_CONVERT(uint16_t, int16_t, bits)
SPIRVC_CONVERT(uint16_t, uint16_t, same)
SPIRVC_CONVERT(uint16_t, int, signed_width)
SPIRVC_CONVERT(uint16_t, uint, unsigned_width)
SPIRVC_CONVERT(uint16_t, int64_t, signed_width)
SPIRVC_CONVERT(uint16_t, uint64_t, unsigned_width)
SPIRVC_CONVERT(uint16_t, float, unsigned_to_float)
SPIRVC_CONVERT(uint16_t, double, unsigned_to_float)
SPIRVC_CONVERT(int, int16_t, signed_width)
SPIRVC_CONVERT(int, uint16_t, unsigned_width)
SPIRVC_CONVERT(uint, int16_t, signed_width)
SPIRVC_CONVERT(uint, uint16_t, unsigned_width)
SPIRVC_CONVERT(int64_t, int16_t, signed_width)
SPIRVC_CONVERT(int64_t, uint16_t, unsigned_width)
SPIRVC_CONVERT(uint64_t, int16_t, signed_width)
SPIRVC_CONVERT(uint64_t, uint16_t, unsigned_width)
SPIRVC_CONVERT(float, int16_t, float_to_signed)
SPIRVC_CONVERT(float, uint16_t, float_to_unsigned)
SPIRVC_CONVERT(double, int16_t, float_to_signed)
SPIRVC_CONVERT(double, uint16_t, float_to_unsigned)
SPIRVC_CONVERT(int16_t, half, signed_to_float)
SPIRVC_CONVERT(uint16_t, half, unsigned_to_float)
SPIRVC_CONVERT(half, int16_t, float_to_signed)
SPIRVC_CONVERT(half, uint16_t, float_to_unsigned)
SPIRVC_CONVERT(half, float, float_width)
SPIRVC_CONVERT(float, half, float_width)
#else // `half` is a `float` of another name.
SPIRVC_CONVERT(half, float, same)
SPIRVC_CONVERT(float, half, same)
#endif
#undef SPIRVC_CONVERT
} // namespace util
} // namespace vk
