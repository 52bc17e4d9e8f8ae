// Methods of instances of templates, and functions that only those call, need not make sense where nothing calls them; a template
// may be defined behind its first call, with the defaults of its declaration.
#include "include/once.hlsli"
#include "../ok/include/once.hlsli"
RWStructuredBuffer<float> o;
Texture2D<float4> image;

template<bool Twice = true>
float scaled(float x);
float early(float x) { return scaled(x) + scaled<false>(x); }

template<typename T>
float never(T x) { return x.missing; }

template<typename T>
struct Handle {
    T value;
    float member() { return value.missing; }
    float through() { return never(value); }
    float add() { return value + once; }
    T offset(vector<uint, 2> at) { vector<uint, 3> longer = at.xyx; return value + T(longer); }
};
template<bool Twice>
float scaled(float x) { return Twice ? x * 2 : x; }

struct Loads {
    template<typename T> T load(uint at) { return (T)o[at]; }
};

[numthreads(1, 1, 1)]
void main() {
    Handle<float> h;
    h.value = 2;
    Loads l;
    o[0] = h.add() + early(1) + scaled(3) + l.template load<int>(1);
}
