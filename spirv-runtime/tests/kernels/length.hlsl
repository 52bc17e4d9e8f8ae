[[vk::binding(0, 0)]] StructuredBuffer<uint4> data;
[[vk::binding(1, 0)]] RWByteAddressBuffer result;

[numthreads(1, 1, 1)]
void main()
{
    uint count, stride;
    data.GetDimensions(count, stride);
    result.Store(0, count);
    result.Store(4, data[1000].x);
    result.Store(4000000, 1);
}
