RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    break;
    continue;
    switch (id) {
        case 1: break;
        case 1: break;
        default: break;
        default: break;
        case id: break;
        o[0] = 1;
    }
    switch (float2(1, 2)) { case 0: break; }
    discard;
    return 5;
}
