RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float3 v = float3(1, 2, 3);
    float2 t = v;
    float4 w = v;
    float3 c = float3(1, 2);
    float3 d = float3(1, 2, 3, 4);
    int n[2] = { 1, 2, 3 };
    float3 e = float3(1);
    o[id] = (float2)t.x;
    Texture2D x = v;
}
