// spirvc: -T cs_6_6 -E main -fspv-target-env=vulkan1.3 --emit asm
#include <vk/khr/cooperative_matrix.h>
// OpTypeVector of three unsigned integers, written out.
typedef vk::SpirvType<23, 12, 4, uint, vk::Literal<vk::integral_constant<uint, 3> > > Three;
template <typename T> [[vk::ext_instruction(81)]] uint part(T from, [[vk::ext_literal]] uint at);
template <typename T> [[vk::ext_instruction(80)]] T three(uint a, uint b, uint c);
[[vk::ext_builtin_input(24)]] static const uint3 groups;
StructuredBuffer<float> a;
RWStructuredBuffer<float> data;
groupshared float scratch[256];

[numthreads(32, 1, 1)]
void main() {
  using Matrix = vk::khr::CooperativeMatrixA<float, vk::ScopeSubgroup, 16, 8>;
  using Other = vk::khr::CooperativeMatrixB<float, vk::ScopeSubgroup, 8, 16>;
  using Sum = vk::khr::CooperativeMatrixAccumulator<float, vk::ScopeSubgroup, 16, 16>;
  Matrix m = Matrix::Load<vk::CooperativeMatrixLayoutRowMajorKHR>(a, 0, 8);
  Other n = Other::Splat(2);
  Sum sum = vk::khr::cooperativeMatrixMultiplyAdd(m + m, n, Sum::Splat(0));
  sum.Set(sum.Get(0) * Sum::GetLength(), 0);
  sum.Store<vk::CooperativeMatrixLayoutRowMajorKHR>(vk::GetGroupSharedAddress(scratch[0]), 16);
  sum.Store<vk::CooperativeMatrixLayoutRowMajorKHR>(data, part(three<Three>(1, groups.x, 2), 1), 16);
}
