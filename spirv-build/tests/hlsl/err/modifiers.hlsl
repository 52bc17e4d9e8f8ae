// Modifiers where they do not belong, or with others that exclude them.
volatile float a;
inout float b;
uniform static float c;
nointerpolation float d;
globallycoherent Buffer<float> e;
extern groupshared float f;
export static void f1() {}
groupshared float f2() { return 1; }
void f3(uniform out float x) { x = 1; }
void f4(static float x) {}
void f5(nointerpolation linear float x) {}
void f6(point triangle float x) {}
uniform float f7() { return 1; }

struct S {
    const float a;
    groupshared float b;
    uniform float c;
    in float d;
    inout float method() { return 1; }
};

row_major float3 g;
row_major column_major float2x2 h;
unorm snorm float i;
unorm int j;
float2x2 row_major k;
typedef row_major float2x2 Rows;
column_major Rows l;
typedef uniform float Number;

[numthreads(1, 1, 1)] void main() {
    groupshared float m;
    uniform float n = 1;
    extern float o = 1;
    in float p = 1;
    shared float q = 1;
    globallycoherent float r = 1;
}
