// spirvc: --emit asm -T cs_6_6 -O0
// What intrinsics convert, as dxc does: numbers to integers, and numbers as matrices of one row and column.
StructuredBuffer<float4> v;
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main() {
    float4 f = v[0];
    o[0] = countbits(f.x);              // OpConvertFToS
    o[1] = reversebits(f.xy).y;
    o[2] = firstbithigh(f.x) + firstbitlow(f.y);
    o[3] = transpose(f.x) + determinant(f.y);
    o[4] = pack_u8(f.x);                // as int
    o[5] = IsHelperLane();              // never
    o[6] = fma(2.0, 3.0, 4.0);          // literals are doubles here
}
