// Arrays of the same scalars convert into each other.
struct Inner { float4 b; float4 c; };
struct Outer { float4 a; Inner inner; float4 d[2]; };
float4 numbers[10];
static const Outer outers[2] = numbers;
RWStructuredBuffer<float4> Out;
float second(float list[4]) { return list[1]; }
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    float2 pairs[2] = {id.xy, id.yz};
    float alone[4] = pairs;
    alone[0] += second(pairs);
    Out[0] = outers[id.x].inner.c + outers[1].d[id.y & 1] + alone[0];
}
