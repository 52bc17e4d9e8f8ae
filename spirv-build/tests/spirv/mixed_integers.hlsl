// spirvc: --emit asm -T cs_6_2 -enable-16bit-types -O0
// Of two integers the wider one counts, unsigned if either is; `bool` takes on the type of the other.
StructuredBuffer<int> i;
StructuredBuffer<uint> u;
StructuredBuffer<int16_t> s;
StructuredBuffer<uint16_t> us;
StructuredBuffer<int64_t> l;
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main() {
    o[0] = i[0] / us[0];          // OpUDiv of uint
    o[1] = (float)(l[0] / u[0]);  // OpUDiv of uint64_t
    o[2] = s[0] / (u[0] != 0);    // OpSDiv of int16_t
    o[3] = s[0] / i[0];           // OpSDiv of int
    o[4] = i[0] < us[0];          // OpULessThan
    o[5] = max(i[0], us[0]);      // UMax
}
