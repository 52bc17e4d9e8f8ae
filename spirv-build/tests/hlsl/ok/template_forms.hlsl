// options: 16bit profile=cs_6_2
// Parameters that name other parameters, templates of type names and variables, their specialisations, own names inside.
template <class T, T val> struct integral_constant { static const T value = val; };
template <bool val> using bool_constant = integral_constant<bool, val>;
template <class, class> static const bool same = false;
template <class T> static const bool same<T, T> = true;
template <typename T> static const int size_of = 1;
template <> static const int size_of<float4> = 4;
template <uint n> struct factorial { enum { value = n * factorial<n - 1>::value }; };
template <> struct factorial<0> { enum { value = 1 }; };
template <typename T> struct Pair { T a; T b; };
struct Pair<float2> known;
template <unsigned int M, unsigned int N> struct Grows { static const uint value = Grows<M - 1, N + 1>::value; };
template <unsigned int N> struct Grows<0, N> { static const uint value = N; };
float choose(float a, float b) { return 1; }
double choose(double a, double b) { return 2; }
half choose(half a, half b) { return 3; }
RWStructuredBuffer<int> Out;
[numthreads(1, 1, 1)] void main() {
    bool_constant<true> yes;
    Out[0] = yes.value ? 1 : 2;
    Out[1] = same<int, bool> ? 1 : same<Pair<int>, Pair<int> > ? 2 : 3;
    Out[2] = size_of<int> + size_of<float4> * 10;
    Out[3] = factorial<5>::value;
    Out[4] = known.b.y;
    Out[5] = Grows<40, 7>::value;
    unsigned int2x2 wide = 5;
    Out[6] = wide[1].x;
    Out[7] = integral_constant<int, -3>::value;
    Out[8] = choose(1.0h, 1.0) + choose(1.0, 1.0f) * 10;
}
