Texture2D<float4> srcImage;
[[vk::image_format("rgba8")]]
RWTexture2D<float4> dstImage;

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    dstImage[id.xy] = 1.0 - srcImage[id.xy];
}
