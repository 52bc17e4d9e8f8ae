// spirvc: -T cs_6_0 -E main --emit asm
struct Base { StructuredBuffer<float> input; };
struct Kernel : Base {
  RWStructuredBuffer<float> output;
  float scale;
  float at(uint i) { return input[i] * scale; }
};
Kernel kernels[2] : register(t1) : register(u4);
RWStructuredBuffer<float> grid[2][3];
tbuffer T { float4 table[2]; };
struct Entry { row_major float2x2 m; };
TextureBuffer<Entry> entry;

float row(RWStructuredBuffer<float> r[3], uint i) { return r[i][0] + r[2][1]; }
void run(Kernel k, uint i) { k.output[i] = k.at(i) + table[1].y + entry.m[0].y; }

[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  run(kernels[0], id);
  run(kernels[1], row(grid[id], 1));
}
