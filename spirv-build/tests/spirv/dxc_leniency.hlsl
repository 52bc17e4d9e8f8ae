// spirvc: -T cs_6_0 -E main --emit asm
// What looks like a mistake and is none: 1x1 matrices are numbers, recursion counts where
// it is reached, constants without a register lie behind those with one.
float y;
float4 x : register(c2);
float4 X : register(C1);
float4 old : register(b0);
cbuffer Mixed { float4 p : packoffset(c1); float q; float r : packoffset(c3.y); };
cbuffer Registers { float4 s : register(c1); float4 t : register(c2); };
Buffer plain : register(T4);
RWStructuredBuffer<float4> o;

int unreached(int n) { return unreached(n); }
float2 two(float2 v) { return v; }
float1x2 row(float1x2 v) { return v; }

[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float1x1 one = plain[id].x;
    float list[2] = (float[2])one;
    o[0] = float4(two(one), list[1], id);
    o[1] = x + X + old + y;
    o[2] = p + q + r + s + t;
    o[3].xy = row(o[4])[0];
}
