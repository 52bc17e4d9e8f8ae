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
    switch (id) {
        case 0: int k = 4;
        case 1: k = 1; break;
    }
    switch (id) { case 0: { int k; k = 1; case 1: k = 2; int j = 3; { case 2: ; } } case 3: if (id > 3) { case 4: ; } case 5: { case 6: } }
    switch (id) { id += 1; case 0: break; }
}
[numthreads(1, 1, 1)] void heads() {
    uint j = 9;
    for (uint i = 0, j = 1; i < 3; i++) { uint i = 4; { uint i = 5; } }
    for (uint i = 0; i < 3; i++) for (uint i = 0; i < 2; i++) j += i;
    uint k = i + j;
}
