// spirvc: -T cs_6_6 -E main -fselect-resources -fspv-target-env=vulkan1.2 --emit asm
// Resources that are chosen at run time: what uses one is there once for each of those that it may be.
struct Pair { RWStructuredBuffer<uint> to; StructuredBuffer<uint> from; uint bias;
    void turn(bool yes) { if (yes) from = to_read(yes); bias += 1; }
    StructuredBuffer<uint> to_read(bool yes);
};
StructuredBuffer<uint> A;
StructuredBuffer<uint> B;
StructuredBuffer<uint> C;
RWStructuredBuffer<uint> Out;
RWStructuredBuffer<uint> Other;
Texture2D<float4> One;
Texture2D<float> Red;
Texture2D<float4> Many[4];
AppendStructuredBuffer<uint> First;
AppendStructuredBuffer<uint> Second;
SamplerState Near;
SamplerState Far;
static StructuredBuffer<uint> Current = A;
static StructuredBuffer<uint> Fixed = B;
uint fixed(uint i) { while (i < 9) if (Fixed[i++] > 3) return i; return 0; }

StructuredBuffer<uint> Pair::to_read(bool yes) { return yes ? B : C; }
StructuredBuffer<uint> early(uint n) {
    if (n == 1) return A;
    uint m = n * 2;
    if (m > 7) { if (m > 9) return B; m += 1; }
    return m > 8 ? C : A;
}
StructuredBuffer<uint> by_case(uint n) {
    switch (n) { case 1: return A; case 2: case 3: return B; default: break; }
    return C;
}
StructuredBuffer<uint> find(uint n) {
    for (uint i = 0; i < n; i++) {
        if (A[i] == 3) return B;
        switch (i) {
            case 7: if (n > 9) return C; break;
            default: Out[100] = 2;
        }
    }
    Out[101] = 4;
    return A;
}
StructuredBuffer<uint> unrolled(uint n) {
    StructuredBuffer<uint> b = A;
    [unroll] for (uint i = 0; i < 3; i++) {
        if (b[i] == n) return B;
        [unroll] for (uint k = 0; k < 2; k++) if (b[k] == i) return C;
    }
    return b;
}
uint get(StructuredBuffer<uint> b, uint i) { return b[i]; }
void choose(out StructuredBuffer<uint> b, inout StructuredBuffer<uint> c, uint i) {
    b = c;
    if (i > 3) c = A; else c = C;
}
float4 look(Texture2D<float4> t, SamplerState s) { return t.SampleLevel(s, 0.5, 0); }
uint current(uint i) { for (uint n = 0; n < i; n++) if (Current[n] > 30) return n; Current = i > 5 ? B : C; return Current[i]; }
uint replaced(StructuredBuffer<uint> b, uint i) { if (i > 2) b = C; return b[i]; }

[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    // Conditions, and all that may be done with a resource.
    StructuredBuffer<uint> one = A;
    if (i > 1) one = B;
    RWStructuredBuffer<uint> to = i > 2 ? Out : Other;
    to[i] += get(one, 3);
    InterlockedAdd(to[1], 2, to[2]);
    to[3] = to.IncrementCounter() + replaced(one, i);
    uint n, stride;
    one.GetDimensions(n, stride);
    Out[4] = n;
    // Functions with several returns, and with parameters that they change.
    Out[5] = early(i)[3] + by_case(i)[4] + get(early(i + 1), i);
    StructuredBuffer<uint> list[3] = { A, B, C };
    Out[6] = list[i][2];
    choose(list[0], one, i);
    Out[7] = list[0][0] + one[1];
    // A loop gives it to the next round.
    StructuredBuffer<uint> before = A;
    for (uint k = 0; k < i; k++) {
        Out[8 + k] = before[k];
        before = k == 2 ? B : C;
    }
    // Textures and samplers; an index is chosen with its array.
    Texture2D<float4> t = One;
    SamplerState s = Near;
    if (i == 3) t = Many[i & 2];
    else if (i == 4) s = Far;
    Out[20] = (uint)look(t, s).x + (uint)t.SampleLevel(s, 0.25, 0).y;
    // Static variables, and fields that methods assign to.
    Out[21] = Current[1] + current(i) + Current[2] + Fixed[3] + fixed(i) + find(i)[2] + unrolled(i)[3];
    ByteAddressBuffer bytes = i > 1 ? ResourceDescriptorHeap[i] : ResourceDescriptorHeap[7];
    Out[23] = bytes.Load(i);
    Pair p;
    p.to = Out;
    p.bias = 1;
    p.from = A;
    p.turn(i > 7);
    p.to[22] = p.from[p.bias];
    // The index is known before the counter counts.
    AppendStructuredBuffer<uint> queues[2] = { First, Second };
    queues[i].Append(24);
}
