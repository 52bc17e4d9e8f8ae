// spirvc: -T cs_6_6 -E main -fspv-target-env=vulkan1.3 --emit asm
// Every way to reach memory that the header has, with and without bits of the access, and what else its names promise.
#include <vk/khr/cooperative_matrix.h>
StructuredBuffer<int> input;
RWStructuredBuffer<int> data;
globallycoherent RWStructuredBuffer<int> coherent;
groupshared int scratch[256];

[numthreads(32, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  using namespace vk::khr;
  using A = CooperativeMatrixA<int, vk::ScopeSubgroup, 16, 8>;
  using B = CooperativeMatrixB<int, vk::ScopeSubgroup, 8, 16>;
  using Sum = CooperativeMatrixAccumulator<int, vk::ScopeSubgroup, 16, 16>;
  A a = A::Load<vk::CooperativeMatrixLayoutRowMajorKHR>(input, id.x, 8);
  a = a + A::Load<vk::MemoryAccessNontemporalMask, vk::CooperativeMatrixLayoutRowMajorKHR>(input, id.x, 9);
  a = a - A::Load<vk::CooperativeMatrixLayoutColumnMajorKHR>(data, id.x, 10);
  a = a * A::Load<vk::MemoryAccessNontemporalMask, vk::CooperativeMatrixLayoutRowMajorKHR>(data, id.x, 11);
  a = a / A::CoherentLoad<vk::CooperativeMatrixLayoutColumnMajorKHR>(coherent, id.x, 12);
  B b = B::CoherentLoad<vk::MemoryAccessNontemporalMask, vk::CooperativeMatrixLayoutColumnMajorKHR>(coherent, id.x, 13);
  b = b * 3 + B::Load<vk::CooperativeMatrixLayoutColumnMajorKHR>(vk::GetGroupSharedAddress(scratch[3]), 14);
  b = b.negate() + B::Load<vk::MemoryAccessVolatileMask, vk::CooperativeMatrixLayoutColumnMajorKHR>(vk::GetGroupSharedAddress(scratch[4]), 15);
  Sum sum = cooperativeMatrixMultiplyAdd(a, b, Sum::Splat(2));
  sum = cooperativeMatrixSaturatingMultiplyAdd(a, b, sum);
  for (uint i = 0; i < Sum::GetLength(); i++)
    sum.Set(sum.Get(i) + (Sum::hasSignedIntegerComponentType ? 1 : 2), i);
  sum.Store<vk::CooperativeMatrixLayoutRowMajorKHR>(data, id.x, 8);
  sum.Store<vk::MemoryAccessNontemporalMask, vk::CooperativeMatrixLayoutRowMajorKHR>(data, id.x, 9);
  sum.CoherentStore<vk::CooperativeMatrixLayoutRowMajorKHR>(coherent, id.x, 8);
  sum.CoherentStore<vk::MemoryAccessNontemporalMask, vk::CooperativeMatrixLayoutRowMajorKHR>(coherent, id.x, 9);
  sum.Store<vk::CooperativeMatrixLayoutRowMajorKHR>(vk::GetGroupSharedAddress(scratch[5]), 9);
  sum.Store<vk::MemoryAccessVolatileMask, vk::CooperativeMatrixLayoutRowMajorKHR>(vk::GetGroupSharedAddress(scratch[6]), 9);
  CooperativeMatrixAccumulator<float, vk::ScopeSubgroup, 16, 16> real = sum.cast<float>();
  data[id.x] = int(real.Get(0));
}
