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

// A template that calls itself for other arguments, up to one that is written out.
template<int N>
vector<float, (N > 0 ? 1 : 1)> power(vector<float, 1> x) { return x * power<N - 1>(x); }
template<>
vector<float, 1> power<0>(vector<float, 1> x) { return 1; }

struct Loads {
    template<typename T> T load(uint at) { return (T)o[at]; }
};

[numthreads(1, 1, 1)]
void main() {
    Handle<float> h;
    h.value = 2;
    Loads l;
    o[0] = h.add() + early(1) + scaled(3) + power<2>(o[1]) + l.template load<int>(1);
}
