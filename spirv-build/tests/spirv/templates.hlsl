// spirvc: -T cs_6_2 -E main --emit asm
template <typename T> static const T half_of = (T)1 / (T)2;
template <typename T> struct traits;
template <typename T, int R, int C> struct traits<matrix<T, R, C> > { static const uint size = R * C; };
template <typename T, int N> struct traits<vector<T, N> > { static const uint size = N; };
template <> struct traits<float> { static const uint size = 1; };
template <typename T> using Pair = vector<T, 2>;

template <typename T> T twice(T x) { return x + x; }
template <> int twice<int>(int x) { return x << 1; }

template <typename T, uint N>
struct Stack {
  static const uint capacity;
  T items[N];
  uint count;
  void push(T item);
  template <typename U> U top_as();
};
template <typename T, uint N> const static uint Stack<T, N>::capacity = N;
template <typename T, uint N> void Stack<T, N>::push(T item) { items[count++] = item; }
template <typename T, uint N> template <typename U> U Stack<T, N>::top_as() { return (U)items[count - 1]; }

namespace tools { uint three() { return 3; } static const int four = 4; }
using namespace tools;
static_assert(traits<float2x3>::size == 6, "rows times columns");

// In its body a function is a template already.
template <int N> [noinline] uint count_down() { return N + count_down<N - 1>() * 2; }
template <> uint count_down<0>() { return sizeof(const float3); }
groupshared const uint never_written = 7;

RWStructuredBuffer<float> result;

[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  Stack<float, 4> s = (Stack<float, 4>)0;
  s.push(id * half_of<float>);
  Pair<uint> p = { Stack<float, 4>::capacity, traits<float3>::size + traits<float>::size };
  result[0] = s.top_as<int>() + p.x + p.y + half_of<int> + twice(id) + twice<int>(four) + three();
  result[1] = count_down<2>() + never_written;
}
