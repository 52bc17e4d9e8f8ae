// What programs for older compilers write: states of samplers, words of other stages as names, hints that are no numbers.
SamplerState linear_sampler : register(s0)
{
    Filter = MIN_MAG_MIP_LINEAR;
    BorderColor = { 0, 0, 0, 0 };
};
Texture2D<float4> textures[100000] : register(t0);
struct Base { float a; };
struct Holder : Base { struct Base inner; float4 precise; float4 sample; float4 globallycoherent; };
RWStructuredBuffer<Holder> Holders;
globallycoherent RWStructuredBuffer<float> Out;
float twice(float sample) { precise float r = sample * 2; return r; }
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    float precise = 1.0;
    int globallycoherent = 1;
    globallycoherent += 10;
    precise = (precise) + globallycoherent;
    [unroll(0)] for (int i = 0; i < 3; i++) Out[i] = twice(precise);
    [unroll(-1)] for (int j = 0; j < 3; j++) Out[j] += Holders[0].precise.x;
    [unroll(1.5)] for (int k = 0; k < 3; k++) Out[k] += Holders[0].inner.a + k;
    int n = 5;
    precise auto exact = precise * 2;
    precise const float fixed_one = exact;
    Out[8] = fixed_one;
    { int n = n + 1; Out[n] = 4; }
    Out[9] = textures[id.x].SampleLevel(linear_sampler, id.yz, 0).x;
}
float4 tint < string UIName = "tint"; float UIMin = 0; > = 1;
string described < string what = "nothing"; > = "";
technique11 Render { pass P0 { SetComputeShader(CompileShader(cs_5_0, main())); } }
technique { pass { } }
