// spirvc: -T cs_6_0 -E main -O3 --emit ir
Texture2D<uint> a;
Texture2D<int4> b;
[[vk::image_format("rgba8ui")]] RWTexture2D<uint4> c;
[[vk::image_format("r32i")]] RWTexture2D<int> d;
RWStructuredBuffer<uint> o;
[numthreads(8,8,1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint w, h, l;
    a.GetDimensions(w, h);
    b.GetDimensions(0, w, h, l);
    c[id.xy] = c[id.yx] + a[id.xy] + uint4(b.Load(int3(id.xy, 0), int2(1,-1)));
    d[id.xy] = w + h + l;
}
