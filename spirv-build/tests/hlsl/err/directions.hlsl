// Directions that are given twice, and truncations of matrices.
void f(out out float x) { x = 1; }
void g(in inout float x) { x = 1; }
void h(in out float x) { x = 1; }
struct Later;
uint size = sizeof(Later);

[numthreads(1, 1, 1)] void main() {
    float4x1 column = 1;
    float2 v = column;
    float1x1 one = v;
    float x = one + column;
    h(x);
}
