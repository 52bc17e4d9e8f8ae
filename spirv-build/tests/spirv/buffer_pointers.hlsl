// spirvc: -T cs_6_6 -E main -fspv-target-env=vulkan1.2 --emit asm
struct Node;
typedef vk::BufferPointer<Node> NodePointer;
struct Node { float3 value; bool last; NodePointer next; };
struct Root { NodePointer first; vk::BufferPointer<uint, 16> count; uint64_t raw; };
[[vk::push_constant]] Root root;
RWStructuredBuffer<float3> result;

NodePointer follow(NodePointer p) { return p.Get().next; }

[numthreads(1, 1, 1)]
void main() {
  NodePointer p = root.first;
  for (uint i = 0; i < root.count.Get() && !p.Get().last; ++i) {
    result[i] = p.Get().value;
    p = follow(p);
  }
  p.Get().value.y = 2;
  uint before;
  InterlockedAdd(root.count.Get(), 1, before);
  vk::RawBufferStore<uint>(root.raw + 8, vk::RawBufferLoad(root.raw) + before);
  [[vk::aliased_pointer]] vk::BufferPointer<int, 4> other = vk::reinterpret_pointer_cast<int, 4>(root.count);
  other.Get() = (int)(uint64_t)other;
}
