// Types that are keywords, and what HLSL reserves, name nothing else. Other types can be hidden, but not where they are.
RWStructuredBuffer<float> o;
static float float3 = 1;
float half;
namespace N { static float uint = 2; }
struct bool { float x; };
float f(float int) { return 1; }
[numthreads(1, 1, 1)] void main() {
    float double;
    float new = 1;
    float line = 1;
    float half = 2;
    float uint = half + N::uint;
    o[0] = uint;
}
