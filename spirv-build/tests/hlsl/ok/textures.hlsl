Texture2D<float4> t : register(t0);
Texture2D plain;
Texture1D<float> line1;
Texture3D<float3> cube;
Texture2DArray<uint> layers;
Texture2DMS<float4> ms;
Buffer<float4> typed;
RWBuffer<uint> counts;
RWTexture2D<float4> o;
RWTexture3D<float> volume;
RWTexture2DArray<int2> pages;
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint w, h, levels, n;
    t.GetDimensions(w, h);
    t.GetDimensions(1, w, h, levels);
    typed.GetDimensions(n);
    float fw;
    float fh;
    o.GetDimensions(fw, fh);
    float4 c = t.Load(int3(id.xy, 0)) + t[id.xy] + t.mips[2][id.xy] + t.Load(id, int2(1, -1)) + plain[id.xy];
    c += line1.Load(int2(id.x, 0)) + line1[id.x];
    c.xyz += cube[id] + cube.Load(int4(id, 1));
    c.x += layers.Load(int4(id, 0)) + layers[id];
    c += ms.Load(id.xy, 2) + typed[id.x] + typed.Load(id.x);
    counts[id.x] += 1;
    InterlockedMax(counts[id.x], n);
    o[id.xy] = c + o.Load(id.xy);
    o[id.xy].xw = c.yz;
    volume[id] = fw;
    pages[id].y = levels;
}
