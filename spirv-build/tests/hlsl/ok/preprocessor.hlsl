// options: N=3
#define CAT(a, b) a##b
#define STR(x) #x
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define EACH(f, ...) f(__VA_ARGS__)
#define SELF SELF
#define EMPTY
#if defined(N) && N >= 3 && !defined MISSING
static const int CAT(va, lue) = MAX(N, 2);
#elif 1
#error wrong branch
#else
#error wrong branch
#endif
#ifndef __spirv__
#error not spirv
#endif
#if __HLSL_VERSION < 2021 || __SHADER_TARGET_STAGE != 5
#error version
#endif
#include "include/common.hlsli"
#include "include/common.hlsli"
#include "include\common.hlsli"
#undef N
#line 100 "renamed.hlsl"
RWStructuredBuffer<int> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    int SELF = 1;
#if defined(__has_feature) && __has_feature(hlsl_vk_buffer_pointer) && !__has_feature(hlsl_telepathy)
    int FOUND = __has_feature ( hlsl_vk_buffer_pointer );
#endif
    SELF += FOUND;
    o[__LINE__ - 103] = value EMPTY + EACH(MAX, 1, 2) + twice(SELF) \
        + __COUNTER__ + __COUNTER__;
}
