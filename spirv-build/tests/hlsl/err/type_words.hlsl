// Types that are keywords name nothing else; all other types can be hidden.
RWStructuredBuffer<float> o;
static float float3 = 1;
static float half = 1;
struct bool { float x; };
float f(float int) { return 1; }
[numthreads(1, 1, 1)] void main() {
    float double;
    float uint = 2;
    o[0] = float3 + uint;
}
