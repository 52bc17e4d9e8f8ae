// spirvc: -T cs_6_6 -E main -O3 --emit ir
// Scalars with names of their own are the floats that they are computed as, also to functions of the library.
RWStructuredBuffer<half2> halves;
RWStructuredBuffer<min16float> least;
RWStructuredBuffer<float> o;
RWStructuredBuffer<uint> u;
[numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) {
  half2 h = halves[i];
  min16float m = least[0];
  min10float t = least[1];
  uint4 lanes = WaveMatch(h.x);
  o[0] = WaveMultiPrefixSum(h, lanes).x + WaveMultiPrefixSum(m, lanes) + WaveMultiPrefixProduct(t, lanes);
  u[0] = isnormal(h.x); u[1] = any(isnormal(h));
}
