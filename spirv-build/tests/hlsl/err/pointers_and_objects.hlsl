struct Node { uint a; };
struct Other { float4 b; };
AppendStructuredBuffer<uint> added;
ConsumeStructuredBuffer<uint> taken;
RWStructuredBuffer<uint> both;
StructuredBuffer<uint> plain;
uint64_t address;

[numthreads(1, 1, 1)] void main() {
  added.Consume();
  taken.Append(1);
  uint x = added[0];
  plain.IncrementCounter();
  both.DecrementCounter(1);
  vk::BufferPointer<Node> p = vk::BufferPointer<Node>(address);
  vk::BufferPointer<Other> q = vk::static_pointer_cast<Other>(p);
  vk::BufferPointer<Other, 3> odd;
  vk::BufferPointer<plain> nothing;
  p.Fetch();
  p.a = 1;
  p = p + 1;
  RWBuffer<uint> heap = ResourceDescriptorHeap[0];
  RayQuery<0> ray;
  ray.Proceeds();
  ray.TraceRayInline(plain, 0, 0, 0);
  both[0] = vk::RawBufferLoad(x, 3);
}
