// Rules that need no program around them: operators, indices, element types, bit fields, incomplete types.
struct Later;
struct A {
    float a;
    void operator=(A s) {}
    void operator++() {}
    int operator<<(A s) { return 1; }
    operator float() { return a; }
    A operator+(A s) { return s; }
    int b : 3 : SEMANTIC;
    static int c : 3;
};
A operator-(A l, A r) { return l; }
Texture2D texture;
Texture2DMS unknown;
Buffer plain;
Buffer<double3> wide;
RWTexture2D<float, 4> many;
StructuredBuffer<float> list;
ConstantBuffer<Later> constants;
Texture2D inner[3][];
string texts[3];
sampler twice : register(s0) : register(s1);
sampler profiles : register(vs, s0) : register(ps, s1);
Texture2D with_sampler : register(S3);
cbuffer Mixed { float4 x : packoffset(c0); float y; float4 z : packoffset(C3); };
cbuffer Registers { float4 x2 : register(c0); float4 y2 : register(c1); };
typedef int Bits : 3;

Later incomplete(Later l) { return l; }
float falls(int n) { if (n > 3) return 1; }
Texture2D none(int n) { if (n > 3) return texture; }
int recursive(int n) { return n > 0 ? recursive(n - 1) : 0; }
int unreached(int n) { return unreached(n); }

[numthreads(1, 1, 1)] void main() {
    bool on = true;
    on += 1;
    on <<= 1;
    on &= false;
    double d = 1;
    d = d % 2;
    d %= 3;
    min16int m = 7;
    m = m / 2;
    float4 v = texture[0] + texture[uint3(1, 2, 3)] + texture[uint2(1, 2)];
    v += texture.mips[0][0] + plain[uint2(1, 2)];
    v.x += list[uint2(1, 2)];
    float local : SEMANTIC = 1;
    float2x2 mat = 1;
    v.xy = mat._m00_11;
    recursive(3);
}
