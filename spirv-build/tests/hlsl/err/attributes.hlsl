// options: entry=main profile=cs_6_6
[shader("pixels")] void a() {}
[shader("compute")] [shader("vertex")] void b() {}
[shader] void c() {}
float twice(float x = 1);
float twice(float x = 2) { return x; }
float g : packoffset(c0);
[[vk::constant_id(0)]] static const int constant = 1;
groupshared float2 shared_value = { 1, 2, 3 };
float uniform_value = { 1, 2 };
RWStructuredBuffer<float> o;

[shader("vertex")] [WaveSize(7)] [numthreads(1, 1, 1)] void main() {
    [loop] [unroll] for (int i = 0; i < 3; i++) {}
    [unroll(1.5)] for (int j = 0; j < 3; j++) {}
    [unroll("2")] for (int k = 0; k < 3; k++) {}
    [unroll(o[0])] for (int l = 0; l < 3; l++) {}
    [unroll(1, 2)] for (int m = 0; m < 3; m++) {}
    switch (3) { case 1: o[0] = 1; break; case 2: }
    o[0] = sizeof(1) + sizeof(1.5) + sizeof(2u);
    int local : register(t0) = 1;
    int accepted : register(c0) = 1;
}
// What belongs to other stages is checked all the same.
[maxvertexcount("x")] [maxtessfactor("x")] void others_a() {}
[domain(3)] [Partitioning("odd")] [outputtopology] void others_b() {}
[outputcontrolpoints(o[0])] [instance(1, 2)] [patchconstantfunc(f)] [earlydepthstencil(1)] void others_c() {}
[maxvertexcount(3)] [maxtessfactor(2.5)] [Domain("tri")] [partitioning("pow2")] [outputtopology("line")]
[outputcontrolpoints(3)] [instance(2)] [patchconstantfunc("f")] [earlydepthstencil] void others_right() {}
