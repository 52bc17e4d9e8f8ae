// Matrices in memory, by rows and by columns, whole and in parts; products, transposes, light that bends.

struct Pair
{
    row_major float3x2 by_rows;
    column_major float2x3 by_columns;
    float tail;
};

StructuredBuffer<float4x4> wholes;
StructuredBuffer<Pair> pairs;
RWStructuredBuffer<Pair> changed;
RWStructuredBuffer<float4x4> products;
RWStructuredBuffer<float4> vectors;

cbuffer Params
{
    float3x3 turn;
    row_major float2x2 small[2];
    uint count;
};

[numthreads(32, 1, 1)]
void multiply(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    float4x4 a = wholes[id], b = wholes[(id + 1) % count];
    products[id] = mul(a, b) + transpose(a) * 2;
    float4 v = mul(a, float4(1, 2, 3, 4)) - mul(float4(4, 3, 2, 1), b);
    v.xyz += mul(turn, v.xyz);
    v.xy = mul(v.xy, small[id % 2]);
    vectors[id] = v;
    // An element and a row of what was stored whole.
    products[id][id % 4][1] = 0.5;
    products[id][3] = v;
}

[numthreads(32, 1, 1)]
void reshape(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    Pair p = pairs[id];
    Pair q;
    q.by_rows = transpose(p.by_columns);
    q.by_columns = mul(p.by_columns, turn);
    q.tail = p.tail + p.by_rows[2][1] + pairs[id].by_columns[1][id % 3];
    changed[id] = q;
    changed[id].by_rows[id % 3] = p.by_rows[0];
    changed[id].by_columns[0][2] = -1;
}

// From glass into air: at flat angles nothing comes through.
[numthreads(32, 1, 1)]
void bend(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    float3 ray = normalize(float3(1, -0.05 * (id + 1), 0.25));
    vectors[id] = float4(refract(ray, float3(0, 1, 0), 1.5), reflect(ray, float3(0, 1, 0)).y);
}

// Whole structures from one buffer to another, and within one: behind the first, every second to the one before it.
[numthreads(32, 1, 1)]
void pass_on(uint id : SV_DispatchThreadID)
{
    if (id >= count)
        return;
    changed[id] = pairs[count - 1 - id];
    if (id % 2 == 1)
        changed[id - 1 + count] = changed[id];
}
