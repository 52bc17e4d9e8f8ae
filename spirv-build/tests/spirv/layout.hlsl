// spirvc: -T cs_6_0 -E main -O3 --emit interface
// Every shape in constant, structured and push constant layout, valid without scalar block layout.
struct Mixed { float x; float2 y; };
struct Three { float3 p; };
struct Wide { double d; float f; };
struct All {
    float a; Mixed i; float b; Three j; float c; float3 arr[2]; float d; float2x3 m; float e; row_major float3x2 n;
    float f; float2 v2; float3 v3; float g; Wide k; float h; float1x3 o; float3x1 o2; row_major int2x3 im; int3x2 jm;
    float q; bool b2[2]; bool3 b3; Mixed mixed[3]; bool2x2 bm; float z;
};
cbuffer Constants { All all; float tail; };
StructuredBuffer<All> many;
StructuredBuffer<float3> vectors;
StructuredBuffer<Mixed> mixed;
StructuredBuffer<float2x3> matrices;
RWStructuredBuffer<All> result;
struct Push { float a; float2 b; float3 c; float2x2 m; };
[[vk::push_constant]] Push push;

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    All copy = all;
    copy.a += tail + many[id.x].z + vectors[id.x].z + mixed[id.x].y.y + matrices[id.x][1].z + push.m[1].y + push.c.z;
    copy.o[0] = all.o2._m00 + all.jm[id.x % 3].y;
    copy.jm[id.y % 3][1] = 2;
    result[id.x] = copy;
    result[id.x].o2[id.y % 3] = copy.o[0][id.z % 3];
    result[id.y].bm = all.bm;
}
