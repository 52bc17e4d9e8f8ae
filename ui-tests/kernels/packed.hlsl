// Compiled with `-fvk-use-scalar-layout`.
struct Sample
{
    float weight;
    double sum;
    float3 place;
};

RWStructuredBuffer<Sample> samples;
RWStructuredBuffer<float3> places;

[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    samples[id].sum += samples[id].weight;
    places[id] += samples[id].place;
}
