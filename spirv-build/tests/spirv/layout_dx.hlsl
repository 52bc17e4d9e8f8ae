// spirvc: -T cs_6_2 -E main -fvk-use-dx-layout --emit asm
// Direct3D's layout: what follows an array or a structure uses the rest of its last row.
struct Inner { float3 a; float b; float c; };
cbuffer Constants {
    float2 first;
    float3 row;
    float list[2];
    float2 behind;
    Inner inner;
    float last;
    float3x3 m;
    float end;
};
struct Packed { float3 v; float2 w; double d; float3x2 m; };
StructuredBuffer<Packed> In;
RWStructuredBuffer<float4> Out;
[numthreads(1, 1, 1)] void main() {
    Out[0] = float4(first + behind, row.z + list[1], inner.c + last + end + m[1][2]);
    Out[1] = float4(In[1].v, In[1].w.y + (float)In[1].d) + In[0].m[2].xyxy;
}
