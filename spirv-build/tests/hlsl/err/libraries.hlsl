// options: profile=lib_6_6
// A library says what it cannot have.
RWStructuredBuffer<float> Out;
[shader("compute")] [numthreads(4, 1, 1)] void good(uint3 id : SV_DispatchThreadID) { Out[id.x] = 1; }
[shader("compute")] void sizeless(uint3 id : SV_DispatchThreadID) { Out[id.x] = 2; }
[shader("pixel")] float4 colour(float2 uv : TEXCOORD) : SV_Target { return uv.xyxy; }
[shader("raygeneration")] void rays() { }
[shader(1)] void numbered() { }
export float doubled(float x) { return x * 2; }
