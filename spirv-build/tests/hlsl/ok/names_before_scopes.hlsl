// A variable does not hide the type of its name before `::`; strings may be copies.
RWStructuredBuffer<float> o;
enum Kind { first, second = 5 };
namespace N { static const int two = 2; }
template <typename T> struct Inner { T x; };
template <typename T> struct Outer { T y; };
string text = "%d";
static const string copy = { text };
[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {
    Kind Kind = Kind::second;
    int N = N::two;
    Outer<Outer<Inner<float> > > nested;
    nested.y.y.x = sizeof(Outer<Inner<double> >) >> 1;
    bool less = N < 3 >> 1;
    printf(copy, N);
    o[i] = Kind + nested.y.y.x + less;
}
