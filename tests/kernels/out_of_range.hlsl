// What indices out of range do: reads give 0, writes are dropped. Each group tries one index on memory of its own whose
// element j holds 100 + j, and writes 1100 + i to element i.

StructuredBuffer<uint> index;
RWStructuredBuffer<uint> output;

#define WORDS 16

#define ENTRY(NAME, LOCAL, LEN, MAKE, READ, WRITE, PART)          \
    [numthreads(1, 1, 1)] void NAME(uint3 group : SV_GroupID)     \
    {                                                             \
        uint i = index[group.x], at = group.x * WORDS;            \
        LOCAL                                                     \
        for (uint j = 0; j < LEN; j++) { MAKE; }                  \
        output[at] = uint(READ);                                  \
        WRITE;                                                    \
        for (uint k = 0; k < LEN; k++)                            \
            output[at + 1 + k] = uint(PART);                      \
    }

struct Pair {
    float2 xy;
    uint parts[5];
};

groupshared uint g_words[12];
groupshared float3 g_vectors[5];
groupshared Pair g_pairs[6];
groupshared float4x3 g_matrix;
groupshared uint g_square[4][5];
groupshared uint64_t g_wide[7];

ENTRY(shared_words, , 12, g_words[j] = 100 + j, g_words[i], g_words[i] = 1100 + i, g_words[k])
ENTRY(shared_signed, int n = int(i); , 12, g_words[j] = 100 + j, g_words[n], g_words[n] = 1100 + i, g_words[k])
ENTRY(shared_atomics, uint old = 0; , 12, g_words[j] = 100 + j, g_words[i], InterlockedAdd(g_words[i], 1000, old), g_words[k])
ENTRY(shared_exchange, uint old = 0; , 12, g_words[j] = 100 + j, g_words[i],
      InterlockedCompareExchange(g_words[i], 100 + i, 1100 + i, old), g_words[k])
ENTRY(shared_vectors, , 5, g_vectors[j] = float3(100 + j, 100 + j, 1), g_vectors[i].x,
      g_vectors[i] = 1100.0 + i, g_vectors[k].y)
ENTRY(shared_components, , 3, g_vectors[2][j] = 100.0 + j, g_vectors[2][i], g_vectors[2][i] = 1100.0 + i, g_vectors[2][k])
ENTRY(shared_members, , 6, g_pairs[j].xy.y = 100.0 + j, g_pairs[i].xy.y, g_pairs[i].xy.y = 1100.0 + i, g_pairs[k].xy.y)
ENTRY(shared_parts, , 5, g_pairs[3].parts[j] = 100 + j, g_pairs[3].parts[i], g_pairs[3].parts[i] = 1100 + i,
      g_pairs[3].parts[k])
ENTRY(shared_structures, Pair whole; whole.xy = 1100.0 + i; whole.parts = (uint[5])0; , 6,
      g_pairs[j].xy = 100.0 + j; g_pairs[j].parts = (uint[5])0, g_pairs[i].xy.x, g_pairs[i] = whole, g_pairs[k].xy.x)
ENTRY(shared_rows, , 4, g_matrix[j] = float3(1, 100.0 + j, 2), g_matrix[i].y, g_matrix[i].y = 1100.0 + i, g_matrix[k].y)
ENTRY(shared_outer, , 4, g_square[j][3] = 100 + j, g_square[i][3], g_square[i][3] = 1100 + i, g_square[k][3])
ENTRY(shared_inner, , 5, g_square[2][j] = 100 + j, g_square[2][i], g_square[2][i] = 1100 + i, g_square[2][k])
ENTRY(shared_both, , 4, g_square[j][j] = 100 + j, g_square[i][i], g_square[i][i] = 1100 + i, g_square[k][k])
ENTRY(shared_wide, , 7, g_wide[j] = 100 + j, g_wide[i], g_wide[i] = 1100 + i, g_wide[k])

static uint s_words[12];
static float4 s_vectors[6];
static const uint table[9] = { 100, 101, 102, 103, 104, 105, 106, 107, 108 };

ENTRY(static_words, , 12, s_words[j] = 100 + j, s_words[i], s_words[i] = 1100 + i, s_words[k])
ENTRY(static_vectors, , 6, s_vectors[j] = 100.0 + j, s_vectors[i].z, s_vectors[i] = 1100.0 + i, s_vectors[k].w)
ENTRY(constants, , 9, , table[i], , table[k] + (k == i ? 1000 : 0))

ENTRY(local_words, uint a[12]; , 12, a[j] = 100 + j, a[i], a[i] = 1100 + i, a[k])
ENTRY(local_signed, uint a[12]; int n = int(i); , 12, a[j] = 100 + j, a[n], a[n] = 1100 + i, a[k])
ENTRY(local_vectors, float3 a[5]; , 5, a[j] = float3(1, 2, 100.0 + j), a[i].z, a[i] = 1100.0 + i, a[k].z)
ENTRY(local_pairs, Pair a[6]; , 6, a[j] = (Pair)0; a[j].parts[1] = 100 + j, a[i].parts[1], a[i].parts[1] = 1100 + i,
      a[k].parts[1])
ENTRY(local_square, uint a[3][4]; , 4, a[0][j] = 1; a[1][j] = 100 + j; a[2][j] = 2, a[1][i], a[1][i] = 1100 + i, a[1][k])
ENTRY(local_both, uint a[3][3]; , 3, a[j][j] = 100 + j, a[i][i], a[i][i] = 1100 + i, a[k][k])
ENTRY(local_rows, float3x4 a; , 3, a[j] = 100.0 + j, a[i].w, a[i] = 1100.0 + i, a[k].w)
ENTRY(local_elements, float3x4 a; , 3, a[j][j] = 100.0 + j, a[i][i], a[i][i] = 1100.0 + i, a[k][k])
ENTRY(local_wide, int64_t a[7]; , 7, a[j] = 100 + j, a[i], a[i] = 1100 + i, a[k])
ENTRY(local_bools, bool a[5]; uint b = 0; , 5, a[j] = true, a[i] ? 100 + i : 0, a[i] = false, a[k] ? 100 + k : 1100 + k)
ENTRY(components, uint4 a; , 4, a[j] = 100 + j, a[i], a[i] = 1100 + i, a[k])

// Memory that the host sees. Each launch tries one index.

struct Element {
    uint before;
    uint parts[3];
    float4x4 m;
};

RWStructuredBuffer<uint> words;
RWStructuredBuffer<float4> vectors;
RWStructuredBuffer<Element> elements;
RWByteAddressBuffer bytes;
cbuffer Params {
    uint one;
    uint4 rows[6];
    uint3 last;
};

[numthreads(1, 1, 1)] void buffer_words()
{
    output[0] = words[one];
    words[one] = 1100 + one;
}

[numthreads(1, 1, 1)] void buffer_atomics()
{
    output[0] = words[one];
    InterlockedAdd(words[one], 1000);
}

[numthreads(1, 1, 1)] void buffer_vectors()
{
    output[0] = uint(vectors[one].x);
    vectors[one] = 1100.0 + one;
}

[numthreads(1, 1, 1)] void buffer_elements()
{
    output[0] = elements[one].before + elements[one].parts[2];
    elements[one].before = 1100 + one;
}

[numthreads(1, 1, 1)] void buffer_parts()
{
    output[0] = elements[1].parts[one];
    elements[1].parts[one] = 1100 + one;
}

[numthreads(1, 1, 1)] void buffer_both()
{
    output[0] = elements[one].parts[one];
    elements[one].parts[one] = 1100 + one;
}

[numthreads(1, 1, 1)] void buffer_rows()
{
    output[0] = uint(elements[1].m[one].z);
    elements[1].m[one].z = 1100.0 + one;
}

[numthreads(1, 1, 1)] void buffer_bytes()
{
    output[0] = bytes.Load(one);
    bytes.Store(one, 1100 + one);
}

[numthreads(1, 1, 1)] void buffer_bytes4()
{
    uint4 all = bytes.Load4(one);
    for (uint k = 0; k < 4; k++)
        output[k] = all[k];
    bytes.Store4(one, 1100 + one + uint4(0, 4, 8, 12));
}

[numthreads(1, 1, 1)] void constant_rows()
{
    output[0] = rows[one].x;
    output[1] = rows[one].w;
}

[numthreads(1, 1, 1)] void constant_components()
{
    output[0] = last[one];
}
