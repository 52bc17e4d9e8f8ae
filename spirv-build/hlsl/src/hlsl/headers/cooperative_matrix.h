// Cooperative matrices: one matrix spread over the invocations of a scope, as SPV_KHR_cooperative_matrix defines it.
//
// The names in `vk::khr` are an interface. What is in `vk::khr::spv` is the extension's instructions, and may change. A row of
// the macros below is a way to reach memory; each gives the two overloads with and without operands of the access.
#pragma once

#if __SPIRV_MAJOR_VERSION__ == 1 && __SPIRV_MINOR_VERSION__ < 6
#error "cooperative matrices need SPIR-V 1.6: choose a later target environment (vulkan1.3)"
#endif

#include <vk/opcode_selector.h>
#include <vk/spirv.h>

// Ends a function with an object that holds a matrix: an assignment in place, since what is passed on is copied.
#define SPIRVC_HOLDING(CLASS, ...) \
  CLASS result;                    \
  result._matrix = __VA_ARGS__;    \
  return result;

namespace vk {
namespace khr {
namespace spv {
// Behind the bits of a memory access stand their own operands: `MakePointer…` has a scope, the others have none. `Cell` is a
// place in a buffer, or the address of one in groupshared memory.
template <typename Matrix, typename Cell>
[[vk::ext_instruction(4457)]] Matrix fetch([[vk::ext_reference]] Cell from, int layout, uint stride,
                                           [[vk::ext_literal]] uint access);
template <typename Matrix, typename Cell>
[[vk::ext_instruction(4457)]] Matrix fetch_made_visible([[vk::ext_reference]] Cell from, int layout, uint stride,
                                                        [[vk::ext_literal]] uint access, int to);
template <typename Matrix, typename Address>
[[vk::ext_instruction(4457)]] Matrix fetch_shared(Address from, int layout, uint stride, [[vk::ext_literal]] uint access,
                                                  int to);

template <typename Matrix, typename Cell>
[[vk::ext_instruction(4458)]] void put([[vk::ext_reference]] Cell to, Matrix what, int layout, uint stride,
                                       [[vk::ext_literal]] uint access);
template <typename Matrix, typename Cell>
[[vk::ext_instruction(4458)]] void put_made_available([[vk::ext_reference]] Cell to, Matrix what, int layout, uint stride,
                                                      [[vk::ext_literal]] uint access, int from);
template <typename Matrix, typename Address>
[[vk::ext_instruction(4458)]] void put_shared(Address to, Matrix what, int layout, uint stride,
                                              [[vk::ext_literal]] uint access, int from);

// The product of a and b plus c; the bits of `kinds` say which of the operands are signed, and whether the sum saturates.
template <typename Sum, typename Left, typename Right>
[[vk::ext_instruction(4459)]] Sum product_plus(Left a, Right b, Sum c, [[vk::ext_literal]] uint kinds);

// Instructions that are not the extension's own, on its types: OpMatrixTimesScalar, OpCompositeConstruct of one constituent,
// and an access chain to an invocation's n-th component with a load and a store for it.
template <typename Matrix, typename Number> [[vk::ext_instruction(143)]] Matrix scaled(Matrix m, Number by);
template <typename Matrix, typename Number> [[vk::ext_instruction(80)]] Matrix filled(Number with);
template <typename Place, typename Matrix>
[[vk::ext_instruction(65)]] Place component([[vk::ext_reference]] Matrix m, uint n);
template <typename Number, typename Place> [[vk::ext_instruction(61)]] Number at(Place p);
template <typename Place, typename Number> [[vk::ext_instruction(62)]] void set_at(Place p, Number to);

// What an access to memory that others share needs besides the bits that are asked for.
static const uint acquires = MemoryAccessMakePointerVisibleMask | MemoryAccessNonPrivatePointerMask;
static const uint releases = MemoryAccessMakePointerAvailableMask | MemoryAccessNonPrivatePointerMask;

// The bits of the four operands of a product whose components are signed.
static const uint all_signed = CooperativeMatrixOperandsMatrixASignedComponentsKHRMask |
                               CooperativeMatrixOperandsMatrixBSignedComponentsKHRMask |
                               CooperativeMatrixOperandsMatrixCSignedComponentsKHRMask |
                               CooperativeMatrixOperandsMatrixResultSignedComponentsKHRMask;
} // namespace spv

template <typename ComponentType, Scope scope, uint rows, uint columns, CooperativeMatrixUse use>
class CooperativeMatrix {
  using SpirvMatrixType = vk::SpirvOpaqueType<4456, ComponentType, vk::integral_constant<uint, scope>,
                                              vk::integral_constant<uint, rows>, vk::integral_constant<uint, columns>,
                                              vk::integral_constant<uint, use> >;
  using Arithmetic = vk::util::ArithmeticSelector<ComponentType>;
  // OpTypePointer to the storage class Function.
  using ComponentPlace = vk::SpirvOpaqueType<32, vk::Literal<vk::integral_constant<uint, 7> >, ComponentType>;

  // An integer, since a half is lost, and one below zero, since nothing wraps around.
  static const bool hasSignedIntegerComponentType =
      ComponentType(3) / ComponentType(2) == ComponentType(1) && ComponentType(0) - ComponentType(1) < ComponentType(0);

  // CooperativeMatrixKHR and VulkanMemoryModel.
  [[vk::ext_extension("SPV_KHR_cooperative_matrix")]] [[vk::ext_capability(6022)]] [[vk::ext_capability(5345)]]
  SpirvMatrixType _matrix;

  // Arithmetic, component by component.
#define SPIRVC_OPERATOR(SIGN, NAME)                                             \
  CooperativeMatrix operator SIGN(CooperativeMatrix other) {                    \
    SPIRVC_HOLDING(CooperativeMatrix, Arithmetic::NAME(_matrix, other._matrix)) \
  }
  SPIRVC_OPERATOR(+, Add)
  SPIRVC_OPERATOR(-, Sub)
  SPIRVC_OPERATOR(*, Mul)
  SPIRVC_OPERATOR(/, Div)
#undef SPIRVC_OPERATOR
  CooperativeMatrix operator*(ComponentType scalar) { SPIRVC_HOLDING(CooperativeMatrix, spv::scaled(_matrix, scalar)) }
  CooperativeMatrix negate() { SPIRVC_HOLDING(CooperativeMatrix, Arithmetic::Negate(_matrix)) }

  template <class NewComponentType> CooperativeMatrix<NewComponentType, scope, rows, columns, use> cast() {
    using Target = CooperativeMatrix<NewComponentType, scope, rows, columns, use>;
    using Conversion = vk::util::ConversionSelector<ComponentType, NewComponentType>;
    SPIRVC_HOLDING(Target, Conversion::template Convert<typename Target::SpirvMatrixType>(_matrix))
  }

  // The components that this invocation holds: how many, and each.
  static uint32_t GetLength() { return __builtin_spv_CooperativeMatrixLengthKHR<SpirvMatrixType>(); }
  ComponentType Get(uint32_t index) { return spv::at<ComponentType>(spv::component<ComponentPlace>(_matrix, index)); }
  void Set(ComponentType value, uint32_t index) {
    spv::set_at(spv::component<ComponentPlace>(_matrix, index), value);
  }
  static CooperativeMatrix Splat(ComponentType value) {
    SPIRVC_HOLDING(CooperativeMatrix, spv::filled<SpirvMatrixType>(value))
  }

  // Parameters that a macro takes as one.
#define SPIRVC_ELEMENTS_OF(BUFFER) BUFFER<Type> data, uint32_t index, uint32_t stride
#define SPIRVC_SHARED WorkgroupSpirvPointer<Type> data, uint32_t stride

#define SPIRVC_LOAD(NAME, PARAMETERS, INSTRUCTION, CELL, ...)                                                        \
  template <uint32_t access, CooperativeMatrixLayout layout, class Type>                                             \
  static CooperativeMatrix NAME(PARAMETERS) {                                                                        \
    SPIRVC_HOLDING(CooperativeMatrix, spv::INSTRUCTION<SpirvMatrixType>(CELL, layout, stride, access | __VA_ARGS__)) \
  }                                                                                                                  \
  template <CooperativeMatrixLayout layout, class Type> static CooperativeMatrix NAME(PARAMETERS) {                  \
    SPIRVC_HOLDING(CooperativeMatrix, spv::INSTRUCTION<SpirvMatrixType>(CELL, layout, stride, __VA_ARGS__))          \
  }
  SPIRVC_LOAD(Load, SPIRVC_ELEMENTS_OF(StructuredBuffer), fetch, data[index], MemoryAccessMaskNone)
  SPIRVC_LOAD(Load, SPIRVC_ELEMENTS_OF(RWStructuredBuffer), fetch, data[index], MemoryAccessMaskNone)
  SPIRVC_LOAD(Load, SPIRVC_SHARED, fetch_shared, data, spv::acquires, ScopeWorkgroup)
  SPIRVC_LOAD(CoherentLoad, SPIRVC_ELEMENTS_OF(globallycoherent RWStructuredBuffer), fetch_made_visible, data[index],
              spv::acquires, ScopeQueueFamily)
#undef SPIRVC_LOAD

#define SPIRVC_STORE(NAME, PARAMETERS, INSTRUCTION, CELL, ...)                                   \
  template <uint32_t access, CooperativeMatrixLayout layout, class Type> void NAME(PARAMETERS) { \
    spv::INSTRUCTION(CELL, _matrix, layout, stride, access | __VA_ARGS__);                       \
  }                                                                                              \
  template <CooperativeMatrixLayout layout, class Type> void NAME(PARAMETERS) {                  \
    spv::INSTRUCTION(CELL, _matrix, layout, stride, __VA_ARGS__);                                \
  }
  SPIRVC_STORE(Store, SPIRVC_ELEMENTS_OF(RWStructuredBuffer), put, data[index], MemoryAccessMaskNone)
  SPIRVC_STORE(Store, SPIRVC_SHARED, put_shared, data, spv::releases, ScopeWorkgroup)
  SPIRVC_STORE(CoherentStore, SPIRVC_ELEMENTS_OF(globallycoherent RWStructuredBuffer), put_made_available, data[index],
               spv::releases, ScopeQueueFamily)
#undef SPIRVC_STORE
#undef SPIRVC_SHARED
#undef SPIRVC_ELEMENTS_OF
};

#define SPIRVC_ROLE(NAME, USE)                                            \
  template <typename ComponentType, Scope scope, uint rows, uint columns> \
  using NAME = CooperativeMatrix<ComponentType, scope, rows, columns, USE>;
SPIRVC_ROLE(CooperativeMatrixA, CooperativeMatrixUseMatrixAKHR)
SPIRVC_ROLE(CooperativeMatrixB, CooperativeMatrixUseMatrixBKHR)
SPIRVC_ROLE(CooperativeMatrixAccumulator, CooperativeMatrixUseMatrixAccumulatorKHR)
#undef SPIRVC_ROLE

#define SPIRVC_PRODUCT(NAME, MORE)                                                                                 \
  template <typename ComponentType, Scope scope, uint rows, uint columns, uint K>                                  \
  CooperativeMatrixAccumulator<ComponentType, scope, rows, columns> NAME(                                          \
      CooperativeMatrixA<ComponentType, scope, rows, K> a, CooperativeMatrixB<ComponentType, scope, K, columns> b, \
      CooperativeMatrixAccumulator<ComponentType, scope, rows, columns> c) {                                       \
    using Sum = CooperativeMatrixAccumulator<ComponentType, scope, rows, columns>;                                 \
    static const uint kinds = (Sum::hasSignedIntegerComponentType ? spv::all_signed : 0) | MORE;                   \
    SPIRVC_HOLDING(Sum, spv::product_plus(a._matrix, b._matrix, c._matrix, kinds))                                 \
  }
SPIRVC_PRODUCT(cooperativeMatrixMultiplyAdd, CooperativeMatrixOperandsMaskNone)
SPIRVC_PRODUCT(cooperativeMatrixSaturatingMultiplyAdd, CooperativeMatrixOperandsSaturatingAccumulationKHRMask)
#undef SPIRVC_PRODUCT
#undef SPIRVC_HOLDING
} // namespace khr
} // namespace vk
