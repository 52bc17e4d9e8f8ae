// spirvc: -T cs_6_0 -E main -O3 --emit ir
// Structures with bools in buffers, nested arrays, component writes, lengths.
struct Inner { float2 a[2]; bool on; };
struct Item { float4 colour; Inner inner; int2 pair; };
StructuredBuffer<Item> items : register(t3);
RWStructuredBuffer<Item> out_items;
[[vk::binding(7, 1)]] RWStructuredBuffer<float3> points;
globallycoherent RWStructuredBuffer<uint> counts;

[numthreads(8, 4, 2)]
void main(uint3 id : SV_DispatchThreadID, uint3 g : SV_GroupID, uint3 t : SV_GroupThreadID, uint i : SV_GroupIndex)
{
    Item item = items[id.x];
    item.inner.on = !item.inner.on && items[i].inner.on;
    item.inner.a[g.x & 1].y = 2.0;
    out_items[id.x] = item;
    out_items[id.y].pair.y += 3;
    out_items[id.z].colour.wx = item.inner.a[t.z & 1];
    uint n, stride;
    items.GetDimensions(n, stride);
    points[n][t.y % 3] = stride;
    counts[0] = n;
}
