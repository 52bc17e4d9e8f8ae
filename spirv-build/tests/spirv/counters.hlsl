// spirvc: -T cs_6_0 -E main --emit asm
struct Item { bool done; float3 at; };
[[vk::binding(0, 1), vk::counter_binding(7)]] RWStructuredBuffer<uint> counted;
RWStructuredBuffer<uint> untouched;
AppendStructuredBuffer<Item> output;
ConsumeStructuredBuffer<Item> input;
RWStructuredBuffer<uint> many[3];

uint next(RWStructuredBuffer<uint> b) { return b.IncrementCounter(); }

[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  Item item = input.Consume();
  item.done = !item.done;
  output.Append(item);
  counted[next(counted)] = id;
  untouched[0] = counted.DecrementCounter();
  many[id % 3][0] = next(many[id % 3]) + next(many[1]);
}
