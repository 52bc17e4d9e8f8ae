const float notConstant = 3;
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
[fancy]
void main(uint id : SV_DispatchThreadID) {
    float a = 1;
    a == 2;
    float2 v = float3(1, 2, 3);
    [unrol] for (int i = 0; i < 3; i++) { }
    if (id > -1) return;
    int big = 99999999999;
}
