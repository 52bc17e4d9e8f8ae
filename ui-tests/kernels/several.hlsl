struct Pair {
    float key;
    float2 value;
};
RWStructuredBuffer<Pair> pairs;
RWByteAddressBuffer counters;

[numthreads(32, 1, 1)]
void scatter(uint3 id : SV_DispatchThreadID)
{
    pairs[id.x].key = id.x;
}

[numthreads(1, 1, 1)]
void countAll(uint3 id : SV_DispatchThreadID)
{
    counters.Store(0, 7);
}
