// spirvc: -T cs_6_0 -E main -O0 --emit asm
// Orientation in memory, products, swizzles, matrices that SPIR-V has not.
struct Both { float2x3 columns; row_major float2x3 rows; int2x2 ints; row_major bool2x3 flags; float1x3 thin; };
cbuffer Constants { float4x4 view; row_major float4x4 model; float3x2 odd; int2x3 whole; };
StructuredBuffer<Both> input;
RWStructuredBuffer<Both> output;
RWStructuredBuffer<float4> vectors;

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float4 v = mul(view, vectors[0]) + mul(vectors[1], model) + mul(mul(view, model), vectors[2]);
    float2x3 m = input[id.x].columns + input[id.y].rows * 2;
    m._m00_m12 = v.xy;
    m[1] = v.xyz;
    m[id.x & 1][id.y % 3] = 5;
    output[id.x].columns = m;
    output[id.x].rows[id.y & 1] = transpose(odd)[0];
    int2x2 i = input[id.x].ints;
    output[id.x].ints = i * i + int2x2(1, 2, 3, 4) + (int2x2)whole;
    output[id.x].ints[id.y & 1] = int2(1, 2);
    output[id.x].flags = input[id.y].flags;
    output[id.x].thin = input[id.y].thin * 2;
    vectors[3] = determinant(view) + whole[id.x & 1].z + odd._m21;
}
