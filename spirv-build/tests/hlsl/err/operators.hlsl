RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float a = 1.5;
    a = a & 1;
    a = a << 2;
    a = ~a;
    int z = 1 / 0;
    int y = 5 % 0;
    o = 1;
    o[id] = o + 1;
}
