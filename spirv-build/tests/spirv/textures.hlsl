// spirvc: -T cs_6_0 -E main -O3 --emit ir
Texture2D<float4> image;
Texture2DArray<float2> layers;
Texture3D<int> volume;
Buffer<uint> typed;
RWTexture2D<float4> target;
[[vk::image_format("rgba8")]] RWTexture2D<float4> bytes;
RWTexture1D<uint> line1;
RWBuffer<int2> words;

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint w, h, levels;
    image.GetDimensions(0, w, h, levels);
    float4 sum = image[id.xy] + image.Load(int3(id.xy, 1)) + image.Load(int3(id.xy, 0), int2(1, -1));
    sum.xy += layers.Load(int4(id.xyz, 0));
    sum.z += volume.Load(int4(id, 0)) + typed[id.x];
    target[id.xy] = sum;
    target[id.yx].y = w + h + levels;
    bytes[id.xy] = target[id.xy] * 0.5;
    line1[id.x] += 1;
    words[id.x] = int2(id.xy);
    InterlockedAdd(line1[id.y], 2);
}
