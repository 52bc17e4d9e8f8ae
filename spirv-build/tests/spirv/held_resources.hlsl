// spirvc: -T cs_6_2 -E main -fspv-target-env=vulkan1.1 --emit asm
// Variables, fields and results that are resources: which one is known wherever they are used.
struct Pair { RWStructuredBuffer<uint> to; StructuredBuffer<uint> from; uint bias; };
StructuredBuffer<uint> A;
StructuredBuffer<uint> B;
RWStructuredBuffer<uint> Out;
RWStructuredBuffer<float> More[3];

RWStructuredBuffer<float> more(uint n) { return More[n]; }
StructuredBuffer<uint> second(inout uint count) { count += 1; return B; }

[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    StructuredBuffer<uint> one;
    if (i > 1) {
        one = A;
        Out[i] = one[i];
    } else {
        one = B;
        Out[i] = one[i] + 1;
    }
    if (2 > 1) one = A; else one = B;
    Out[i + 4] += one[0];
    Pair p;
    p.to = Out;
    p.bias = 7;
    Pair q = p;
    q.from = A;
    q.bias += 1;
    for (uint n = 0; n < 3; n++) {
        StructuredBuffer<uint> each;
        each = B;
        q.to[n] = each[n] + q.from[n] + q.bias + p.bias;
    }
    switch (i) {
        case 0: one = B; break;
        default: one = B;
    }
    uint count = 0;
    p.to[8] = one[1] + second(count)[2] + count;
    more(i)[0] = more(1)[2];
    auto sum = 1.5f + i;
    More[2][0] = sum;
}
