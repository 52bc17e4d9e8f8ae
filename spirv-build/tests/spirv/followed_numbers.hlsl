// spirvc: -T cs_6_2 -E main -fspv-target-env=vulkan1.1 --emit asm
// Which resource an element of a variable is, where its index is computed step by step. Each write says the number that is due.
RWStructuredBuffer<uint> A;
RWStructuredBuffer<uint> B;
AppendStructuredBuffer<uint> P;
AppendStructuredBuffer<uint> Q;
ConsumeStructuredBuffer<uint> R;
static const uint Turn[2] = { 1, 0 };

RWStructuredBuffer<uint> pick(int i) { if (i == 0) return A; else return B; }

[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {
    RWStructuredBuffer<uint> c[2] = { A, B };
    int k = 0;
    k += 1;
    c[k][0] = 10; // B
    if (i > 3) k = 0; else { k--; c[k][1] = 11; } // A
    c[k][2] = 12; // A
    k = k == 0 ? 1 : k;
    c[k][3] = 13; // B
    bool second = k == 0;
    c[second ? 1 : 0][4] = 14; // A
    int n = 0;
    [unroll] for (int r = 0; r < 2; r++) {
        c[n][r + 5] = 15; // A, B
        c[Turn[r]][r + 7] = 16; // B, A
        n++;
        pick(r)[r + 9] = 17; // A, B
        RWStructuredBuffer<uint> x;
        switch (r) { case 1: x = B; break; default: x = A; break; }
        x[r + 11] = 18; // A, B
    }
    c[n - 2][13] = 19; // A
    AppendStructuredBuffer<uint> q[2];
    q[0] = P;
    q[1] = Q;
    ConsumeStructuredBuffer<uint> s[2] = { R, R };
    [unroll] for (int t = 0; t < 2; ++t) q[t].Append(s[1 - t].Consume()); // P, Q
}
