StructuredBuffer<float> sources[4] : register(t2);
Texture2D<float> many[] : register(t0, space2);
RWStructuredBuffer<float> o;
float sum(float a[2][3]) { float s = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) s += a[i][j]; return s; }
float read(StructuredBuffer<float> b, uint i) { return b[i]; }
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float a[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    float b[2][3] = a;
    b[id][1] = a[1][id];
    const int k[3] = { 1, 2, 3 };
    StructuredBuffer<float> local = sources[1];
    o[id] = sum(b) + read(sources[id & 3], 2) + local[k[2]] + many[NonUniformResourceIndex(id)][uint2(1, 2)] + k[id];
}
