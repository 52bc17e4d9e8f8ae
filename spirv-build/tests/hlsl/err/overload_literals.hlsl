// A literal is any number of its kind, and a splat or a truncation is as bad for any size: dxc's ranking.
RWStructuredBuffer<float> o;
float number(int x) { return 1; }
float number(uint x) { return 2; }
float real(float x) { return 1; }
float real(double x) { return 2; }
float mixed(int x) { return 1; }
float mixed(float x) { return 2; }
float wide(float2 v) { return 1; }
float wide(float3 v) { return 2; }
float both(uint a, float b) { return 1; }
float both(float a, uint b) { return 2; }
enum Kind { first, second };

[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {
    o[0] = number(1);
    o[1] = real(1.5 * 2);
    o[2] = mixed(true);
    o[3] = mixed(Kind::first);
    o[4] = wide(1.5f);
    o[5] = wide(float4(1, 2, 3, 4));
    o[6] = both(i, i);
    // None of these is.
    o[7] = number(i) + number(-(int)i) + number(1u) + real(1.5f) + real(1.5l) + mixed(1) + mixed(1.5) + mixed(i);
    o[8] = wide(float3(1, 2, 3)) + both(i, 1.5) + both(1.5, i);
}
