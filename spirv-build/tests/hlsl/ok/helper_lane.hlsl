// options: profile=cs_6_0
// The sentence that explains it speaks of derivatives; it is none, and no shader model lacks it.
RWStructuredBuffer<uint> lanes;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    lanes[id.x] = IsHelperLane() ? 1 : 2;
}
