// What `frexp` and `modf` take a number apart to.

struct Parts { float2 significand, exponent; float2 whole, rest; };

StructuredBuffer<float2> numbers;
RWStructuredBuffer<Parts> parts;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float2 x = numbers[id.x];
    Parts r;
    r.significand = frexp(x, r.exponent);
    // Of a product: what is left must be that of the rounded one.
    r.rest = modf(x * 10, r.whole);
    parts[id.x] = r;
}
