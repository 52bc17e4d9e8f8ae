// spirvc: -T cs_6_0 -E main --emit asm
// A 1x1 matrix counts as a number, and one of a single row or column as a vector; `unsigned` stands before any integer type.
RWStructuredBuffer<float4> o;
unsigned int4 a;
unsigned int64_t2 b;
unsigned min16int2x2 c;
unsigned uint3 d;

[numthreads(1, 1, 1)] void main() {
    float2 v = o[0].xy;
    float4 w = o[1];
    float1x1 one = o[2].x;
    float4x1 column = (float4x1)o[3];
    float1x4 row = (float1x4)o[4];
    float2x2 square = (float2x2)o[5];
    v = v + one;
    w = w * one;
    square = square * one;
    w += row;
    v += column;
    v = row - v;
    one += v;
    o[0] = w + v.xyxy + square[0].xyxy + one + a + d.x;
}
