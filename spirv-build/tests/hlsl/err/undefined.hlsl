// Static members that nothing defines, and pointers without an address.
struct S {
    static const float a;
    static float b;
    static const float defined;
    static const float unused;
    float get() { return a; }
};
const float S::defined = 3;
template<uint N> struct T { static const float list[N]; };
RWStructuredBuffer<float> o;

[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {
    S s;
    o[0] = s.get() + S::b + S::defined + T<2>::list[i];
    vk::BufferPointer<S> pointer;
}
