// options: profile=cs_6_0 entry=main
// Macros that the build was to define; the entry point that could not be read for want of one is not missed as well.
GROUP_SIZE_OF_THE_BUILD
void main(uint id : SV_DispatchThreadID) {}

Buffer<TEXEL_FORMAT> texels;
Texture2D list[LIST_LENGTH] : register(t0, space1);
NOT_A_TYPE single : register(t1);
RWBuffer<float> o;
void helper() { o[0] = RADIUS + texels[0]; o[1] = SCALE(2); o[2] = lower_case; int a = A; }
