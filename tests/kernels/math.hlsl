// Functions that back ends take apart: determinants, parts of a number.

struct Determinants { float two, three, four; };

StructuredBuffer<float4> rows;
RWStructuredBuffer<Determinants> determinants;

[numthreads(64, 1, 1)]
void matrices(uint3 id : SV_DispatchThreadID)
{
    uint i = id.x * 4;
    float4x4 m = float4x4(rows[i], rows[i + 1], rows[i + 2], rows[i + 3]);
    Determinants r;
    r.two = determinant((float2x2)m);
    r.three = determinant((float3x3)m);
    r.four = determinant(m);
    determinants[id.x] = r;
}
