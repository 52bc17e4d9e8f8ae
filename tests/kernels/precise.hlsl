// Sums of products that must not be contracted: each product is rounded before it is added.

struct Sums { float sum, dotted, through, product; };

StructuredBuffer<float4> numbers;
RWStructuredBuffer<Sums> sums;

float later(precise float x, float y) { return x + y; }

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float4 n = numbers[id.x];
    Sums r;
    precise float sum = n.x * n.y + n.z;
    precise float dotted = dot(n.xz, n.yw);
    float product = n.x * n.y;
    precise float4 m = mul(float4(n.x, n.z, 0, 0), float4x4(n.yyyy, n.wwww, n, n));
    r.sum = sum;
    r.dotted = dotted;
    r.through = later(product, n.z);
    r.product = m.y;
    sums[id.x] = r;
}
