template <typename T> struct Box { T v; };
template <typename T, int N> struct Row { T v[N]; };
template <typename T> T pick(T a, T b) { return a; }
template <typename T> static const int size = sizeof(T);
static_assert(size<uint> == 8, "a uint has 8 bytes");
static_assert(1 == 1);
RWStructuredBuffer<uint> data;

[numthreads(1, 1, 1)] void main() {
  Box<int, int> a;
  Box<Missing> b;
  Row<int, float> c;
  Row<int, data> d;
  Row<int> e;
  Box<Box<Box<int>>> f;
  data[0] = pick(1, 2.0) + pick<int, int>(1, 2);
  data[1] = size<Missing>;
  static_assert(data[0] == 1, "not known");
}
