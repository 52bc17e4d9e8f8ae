cbuffer A { float2 a : packoffset(c0.w); }
cbuffer B { double b : packoffset(c0.y); }
cbuffer C { float c[2] : packoffset(c0.y); }
cbuffer D { struct { float x; } d : packoffset(c0.y); }
cbuffer E { float3 e : packoffset(c0.z); }
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)] void main() { o[0] = a.x + e.y; }
