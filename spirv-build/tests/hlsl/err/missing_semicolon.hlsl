RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float a = 1
    float b = 2;
    o[id] = a + b
}
