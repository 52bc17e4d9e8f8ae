// spirvc: -T cs_6_0 -E main --emit asm
// The order of a matrix is part of the name that a typedef gives it, and of a template argument.
namespace n { typedef column_major float2x3 Columns; }
typedef row_major float2x3 Rows;
typedef row_major float2x3 Rows;
using More = Rows;
cbuffer C {
    Rows a;
    float2x3 b = 0;
    n::Columns c[2];
    More d;
};
StructuredBuffer<row_major float2x3> s;
RWStructuredBuffer<Rows> t;
RWStructuredBuffer<float> o;

[numthreads(1, 1, 1)]
void main() {
    o[0] = a[0][1] + b[0][1] + c[1][0][1] + d[0][1] + s[0][0][1] + t[0][0][1];
}
