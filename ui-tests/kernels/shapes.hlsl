// Samplers, typed buffers, and images of other than two dimensions.

Texture3D<float4> volume;
SamplerState smooth;
[[vk::image_format("rgba8")]] RWBuffer<float4> colours;
Buffer<float> heights;

[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    colours[id] = volume.SampleLevel(smooth, heights[id], 0);
}
