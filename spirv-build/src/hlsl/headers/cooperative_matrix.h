// Matrices that the threads of a scope hold together (SPV_KHR_cooperative_matrix), as a class over inline SPIR-V.
#pragma once

#if __SPIRV_MAJOR_VERSION__ == 1 && __SPIRV_MINOR_VERSION__ < 6
#error "cooperative matrices need SPIR-V 1.6: choose a later target environment (vulkan1.3)"
#endif

#include <vk/opcode_selector.h>
#include <vk/spirv.h>

namespace vk {
namespace khr {
namespace instructions {
// Load and store: memory, (value,) layout, stride, how memory is accessed, and for coherent memory the scope.
template <typename M, typename T>
[[vk::ext_instruction(4457)]] M load(
    [[vk::ext_reference]] T from, CooperativeMatrixLayout layout, uint stride, [[vk::ext_literal]] uint access);
template <typename M, typename T>
[[vk::ext_instruction(4457)]] M load_coherent(
    [[vk::ext_reference]] T from, CooperativeMatrixLayout layout, uint stride, [[vk::ext_literal]] uint access, Scope scope);
template <typename M, typename T>
[[vk::ext_instruction(4457)]] M load_shared(
    WorkgroupSpirvPointer<T> from, CooperativeMatrixLayout layout, uint stride, [[vk::ext_literal]] uint access, Scope scope);
template <typename M, typename T>
[[vk::ext_instruction(4458)]] void store(
    [[vk::ext_reference]] T to, M value, CooperativeMatrixLayout layout, uint stride, [[vk::ext_literal]] uint access);
template <typename M, typename T>
[[vk::ext_instruction(4458)]] void store_coherent(
    [[vk::ext_reference]] T to, M value, CooperativeMatrixLayout layout, uint stride, [[vk::ext_literal]] uint access,
    Scope scope);
template <typename M, typename T>
[[vk::ext_instruction(4458)]] void store_shared(
    WorkgroupSpirvPointer<T> to, M value, CooperativeMatrixLayout layout, uint stride, [[vk::ext_literal]] uint access,
    Scope scope);
template <typename R, typename A, typename B>
[[vk::ext_instruction(4459)]] R multiply_add(A a, B b, R c, [[vk::ext_literal]] uint operands);
template <typename M, typename T> [[vk::ext_instruction(143)]] M times_scalar(M matrix, T scalar);
template <typename M, typename T> [[vk::ext_instruction(80)]] M splat(T value);
// An element: the address of it in the variable that holds the matrix.
template <typename P, typename M> [[vk::ext_instruction(65)]] P element([[vk::ext_reference]] M matrix, uint index);
template <typename T, typename P> [[vk::ext_instruction(61)]] T read(P from);
template <typename P, typename T> [[vk::ext_instruction(62)]] void write(P to, T value);
} // namespace instructions

template <typename ComponentType, Scope scope, uint rows, uint columns, CooperativeMatrixUse use>
class CooperativeMatrix {
  using SpirvMatrixType =
      vk::SpirvOpaqueType<4456, ComponentType, vk::integral_constant<uint, scope>,
                          vk::integral_constant<uint, rows>, vk::integral_constant<uint, columns>,
                          vk::integral_constant<uint, use> >;
  // A pointer to an element, in a variable of a function.
  using ElementPointer = vk::SpirvOpaqueType<32, vk::Literal<vk::integral_constant<uint, 7> >, ComponentType>;

  static const bool hasSignedIntegerComponentType = ComponentType(0) - ComponentType(1) < ComponentType(0)
      && ComponentType(1) / ComponentType(2) == ComponentType(0);

  [[vk::ext_extension("SPV_KHR_cooperative_matrix")]]
  [[vk::ext_capability(6022)]]
  [[vk::ext_capability(5345)]]
  SpirvMatrixType _matrix;

  // Element by element.
  CooperativeMatrix negate() {
    CooperativeMatrix result;
    result._matrix = vk::util::ArithmeticSelector<ComponentType>::Negate(_matrix);
    return result;
  }
  CooperativeMatrix operator+(CooperativeMatrix other) {
    CooperativeMatrix result;
    result._matrix = vk::util::ArithmeticSelector<ComponentType>::Add(_matrix, other._matrix);
    return result;
  }
  CooperativeMatrix operator-(CooperativeMatrix other) {
    CooperativeMatrix result;
    result._matrix = vk::util::ArithmeticSelector<ComponentType>::Sub(_matrix, other._matrix);
    return result;
  }
  CooperativeMatrix operator*(CooperativeMatrix other) {
    CooperativeMatrix result;
    result._matrix = vk::util::ArithmeticSelector<ComponentType>::Mul(_matrix, other._matrix);
    return result;
  }
  CooperativeMatrix operator/(CooperativeMatrix other) {
    CooperativeMatrix result;
    result._matrix = vk::util::ArithmeticSelector<ComponentType>::Div(_matrix, other._matrix);
    return result;
  }
  CooperativeMatrix operator*(ComponentType scalar) {
    CooperativeMatrix result;
    result._matrix = instructions::times_scalar(_matrix, scalar);
    return result;
  }

  template <class NewComponentType>
  CooperativeMatrix<NewComponentType, scope, rows, columns, use> cast() {
    CooperativeMatrix<NewComponentType, scope, rows, columns, use> result;
    result._matrix = vk::util::ConversionSelector<ComponentType, NewComponentType>::template Convert<
        typename CooperativeMatrix<NewComponentType, scope, rows, columns, use>::SpirvMatrixType>(_matrix);
    return result;
  }

  // How memory is accessed may be given before the layout; MemoryAccessMaskNone without it.
  template <uint32_t access, CooperativeMatrixLayout layout, class Type>
  void Store(WorkgroupSpirvPointer<Type> data, uint32_t stride) {
    instructions::store_shared(data, _matrix, layout, stride,
        access | MemoryAccessNonPrivatePointerMask | MemoryAccessMakePointerAvailableMask, ScopeWorkgroup);
  }
  template <CooperativeMatrixLayout layout, class Type>
  void Store(WorkgroupSpirvPointer<Type> data, uint32_t stride) {
    instructions::store_shared(data, _matrix, layout, stride,
        MemoryAccessNonPrivatePointerMask | MemoryAccessMakePointerAvailableMask, ScopeWorkgroup);
  }
  template <uint32_t access, CooperativeMatrixLayout layout, class Type>
  void Store(RWStructuredBuffer<Type> data, uint32_t index, uint32_t stride) {
    instructions::store(data[index], _matrix, layout, stride, access);
  }
  template <CooperativeMatrixLayout layout, class Type>
  void Store(RWStructuredBuffer<Type> data, uint32_t index, uint32_t stride) {
    instructions::store(data[index], _matrix, layout, stride, MemoryAccessMaskNone);
  }
  template <uint32_t access, CooperativeMatrixLayout layout, class Type>
  void CoherentStore(globallycoherent RWStructuredBuffer<Type> data, uint32_t index, uint32_t stride) {
    instructions::store_coherent(data[index], _matrix, layout, stride,
        access | MemoryAccessNonPrivatePointerMask | MemoryAccessMakePointerAvailableMask, ScopeQueueFamily);
  }
  template <CooperativeMatrixLayout layout, class Type>
  void CoherentStore(globallycoherent RWStructuredBuffer<Type> data, uint32_t index, uint32_t stride) {
    instructions::store_coherent(data[index], _matrix, layout, stride,
        MemoryAccessNonPrivatePointerMask | MemoryAccessMakePointerAvailableMask, ScopeQueueFamily);
  }

  template <uint32_t access, CooperativeMatrixLayout layout, class Type>
  static CooperativeMatrix Load(WorkgroupSpirvPointer<Type> data, uint32_t stride) {
    CooperativeMatrix result;
    result._matrix = instructions::load_shared<SpirvMatrixType>(data, layout, stride,
        access | MemoryAccessNonPrivatePointerMask | MemoryAccessMakePointerVisibleMask, ScopeWorkgroup);
    return result;
  }
  template <CooperativeMatrixLayout layout, class Type>
  static CooperativeMatrix Load(WorkgroupSpirvPointer<Type> data, uint32_t stride) {
    CooperativeMatrix result;
    result._matrix = instructions::load_shared<SpirvMatrixType>(data, layout, stride,
        MemoryAccessNonPrivatePointerMask | MemoryAccessMakePointerVisibleMask, ScopeWorkgroup);
    return result;
  }
  template <uint32_t access, CooperativeMatrixLayout layout, class Type>
  static CooperativeMatrix Load(RWStructuredBuffer<Type> data, uint32_t index, uint32_t stride) {
    CooperativeMatrix result;
    result._matrix = instructions::load<SpirvMatrixType>(data[index], layout, stride, access);
    return result;
  }
  template <CooperativeMatrixLayout layout, class Type>
  static CooperativeMatrix Load(RWStructuredBuffer<Type> data, uint32_t index, uint32_t stride) {
    CooperativeMatrix result;
    result._matrix = instructions::load<SpirvMatrixType>(data[index], layout, stride, MemoryAccessMaskNone);
    return result;
  }
  template <uint32_t access, CooperativeMatrixLayout layout, class Type>
  static CooperativeMatrix Load(StructuredBuffer<Type> data, uint32_t index, uint32_t stride) {
    CooperativeMatrix result;
    result._matrix = instructions::load<SpirvMatrixType>(data[index], layout, stride, access);
    return result;
  }
  template <CooperativeMatrixLayout layout, class Type>
  static CooperativeMatrix Load(StructuredBuffer<Type> data, uint32_t index, uint32_t stride) {
    CooperativeMatrix result;
    result._matrix = instructions::load<SpirvMatrixType>(data[index], layout, stride, MemoryAccessMaskNone);
    return result;
  }
  template <uint32_t access, CooperativeMatrixLayout layout, class Type>
  static CooperativeMatrix CoherentLoad(
      globallycoherent RWStructuredBuffer<Type> data, uint32_t index, uint32_t stride) {
    CooperativeMatrix result;
    result._matrix = instructions::load_coherent<SpirvMatrixType>(data[index], layout, stride,
        access | MemoryAccessNonPrivatePointerMask | MemoryAccessMakePointerVisibleMask, ScopeQueueFamily);
    return result;
  }
  template <CooperativeMatrixLayout layout, class Type>
  static CooperativeMatrix CoherentLoad(
      globallycoherent RWStructuredBuffer<Type> data, uint32_t index, uint32_t stride) {
    CooperativeMatrix result;
    result._matrix = instructions::load_coherent<SpirvMatrixType>(data[index], layout, stride,
        MemoryAccessNonPrivatePointerMask | MemoryAccessMakePointerVisibleMask, ScopeQueueFamily);
    return result;
  }

  // The same value in each element; all threads of the scope give the same.
  static CooperativeMatrix Splat(ComponentType value) {
    CooperativeMatrix result;
    result._matrix = instructions::splat<SpirvMatrixType>(value);
    return result;
  }

  // Number of elements that a thread holds, and those elements.
  static uint32_t GetLength() { return __builtin_spv_CooperativeMatrixLengthKHR<SpirvMatrixType>(); }
  ComponentType Get(uint32_t index) {
    return instructions::read<ComponentType>(instructions::element<ElementPointer>(_matrix, index));
  }
  void Set(ComponentType value, uint32_t index) {
    instructions::write(instructions::element<ElementPointer>(_matrix, index), value);
  }
};

template <typename ComponentType, Scope scope, uint rows, uint columns>
using CooperativeMatrixA = CooperativeMatrix<ComponentType, scope, rows, columns, CooperativeMatrixUseMatrixAKHR>;

template <typename ComponentType, Scope scope, uint rows, uint columns>
using CooperativeMatrixB = CooperativeMatrix<ComponentType, scope, rows, columns, CooperativeMatrixUseMatrixBKHR>;

template <typename ComponentType, Scope scope, uint rows, uint columns>
using CooperativeMatrixAccumulator =
    CooperativeMatrix<ComponentType, scope, rows, columns, CooperativeMatrixUseMatrixAccumulatorKHR>;

// a * b + c; signed integers are said to be so for all four matrices.
template <typename ComponentType, Scope scope, uint rows, uint columns, uint K>
CooperativeMatrixAccumulator<ComponentType, scope, rows, columns> cooperativeMatrixMultiplyAdd(
    CooperativeMatrixA<ComponentType, scope, rows, K> a, CooperativeMatrixB<ComponentType, scope, K, columns> b,
    CooperativeMatrixAccumulator<ComponentType, scope, rows, columns> c) {
  static const uint operands =
      CooperativeMatrixA<ComponentType, scope, rows, K>::hasSignedIntegerComponentType ? 0xf : 0;
  CooperativeMatrixAccumulator<ComponentType, scope, rows, columns> result;
  result._matrix = instructions::multiply_add(a._matrix, b._matrix, c._matrix, operands);
  return result;
}

template <typename ComponentType, Scope scope, uint rows, uint columns, uint K>
CooperativeMatrixAccumulator<ComponentType, scope, rows, columns> cooperativeMatrixSaturatingMultiplyAdd(
    CooperativeMatrixA<ComponentType, scope, rows, K> a, CooperativeMatrixB<ComponentType, scope, K, columns> b,
    CooperativeMatrixAccumulator<ComponentType, scope, rows, columns> c) {
  static const uint operands =
      CooperativeMatrixA<ComponentType, scope, rows, K>::hasSignedIntegerComponentType ? 0x1f : 0x10;
  CooperativeMatrixAccumulator<ComponentType, scope, rows, columns> result;
  result._matrix = instructions::multiply_add(a._matrix, b._matrix, c._matrix, operands);
  return result;
}
} // namespace khr
} // namespace vk
