// Compiled several times, with several values of N.
RWStructuredBuffer<float> data;

[numthreads(N, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    data[id.x] = data[id.x] * SCALE + N;
}
