// spirvc: -T cs_6_2 -E main -fspv-target-env=vulkan1.1 --emit asm
// Loops in which a variable holds another resource in each round are lowered round by round.
StructuredBuffer<uint> A;
StructuredBuffer<uint> B;
StructuredBuffer<uint> Many[4];
RWStructuredBuffer<uint> Out;

StructuredBuffer<uint> last() {
    StructuredBuffer<uint> found = A;
    [unroll] for (int i = 0; i < 3; i++) found = Many[i];
    return found;
}

[numthreads(1, 1, 1)] void main(uint id : SV_GroupIndex) {
    StructuredBuffer<uint> one;
    [unroll] for (int j = 2; j > 0; --j) {
        if (j == 1) one = A; else one = B;
        Out[j] = one[j];
    }
    StructuredBuffer<uint> list[2] = { B, A };
    uint k;
    [unroll(2)] for (k = 0; k < 4; k += 2) {
        [unroll] for (uint n = 1; n <= 4; n <<= 2) {
            one = list[n >> 2];
            if (id > k) Out[k + n] += one[n];
        }
    }
    Out[k + 6] = last()[11];
    // The variable is one of the loop, and the array is never assigned to.
    StructuredBuffer<uint> both[] = { A, B };
    [unroll] for (uint m = 0; m < 2; m++) {
        StructuredBuffer<uint> own = A;
        if (m > 0) own = B;
        Out[30 + m] = own[m] + both[m][5];
    }
    // Nothing is chosen in this one.
    for (uint r = 0; r < id; r++) Out[20 + r] = one[r];
}
