// `snorm` and `unorm` exclude each other, through names and template arguments too.
typedef unorm float whole;
typedef snorm float2 part;
typedef whole again;
typedef int number;
RWTexture2D<unorm float4> fine;
snorm matrix<unorm float, 2, 3> a;
unorm matrix<snorm float, 2, 3> b;
snorm whole c;
unorm part d;
snorm again e;
unorm again f;
snorm number g;
[numthreads(1, 1, 1)] void main(uint2 id : SV_DispatchThreadID) { fine[id] = f; }
