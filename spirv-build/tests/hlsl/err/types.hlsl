float5 a;
Textur2D<float4> t;
StructuredBuffer s;
RWTexture2D<float4x4> m;
StructuredBuffer<Texture2D> st;
float4x5 big;
struct R { R inner; };
vector<float, 7> v7;
static const float zero[0] = { };
static const int n = 4;
groupshared float gs[n * 1000000];
groupshared float init = 3;
static const float noinit;
void v;
float16_t h;
RayQuery<0> q;
[numthreads(1, 1, 1)]
void main() { float a[]; void b; int c[-1]; float d[n + 0.5]; int k = 1; float e[k]; }

uint real_size[2.0];
enum Real { Half = 0.5, Whole = 1.0 };
vector<float, 2.0> real_vector() { return 1; }
