// Buffers that count: queues, and counters of buffers.

struct Item {
    uint index;
    float3 place;
};

ConsumeStructuredBuffer<Item> waiting;
AppendStructuredBuffer<Item> near;
AppendStructuredBuffer<uint> far;
RWStructuredBuffer<uint> slots;
RWStructuredBuffer<int> stack;

cbuffer Params {
    uint count;
    float limit;
};

// Each thread takes an item and sorts it in, by how far it is.
[numthreads(64, 1, 1)]
void sort(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    Item item = waiting.Consume();
    if (item.place.x < limit) {
        item.place.y += 1;
        near.Append(item);
    } else {
        far.Append(item.index);
    }
}

// Numbers from both ends: what one takes another leaves.
[numthreads(64, 1, 1)]
void number(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    slots[slots.IncrementCounter()] = id;
    if (id % 3 == 0)
        stack[stack.DecrementCounter()] = -int(id);
}
