// What is wrong with a candidate is a reason that it is none, and told only where no other fits.
struct S { typedef float type; float x; };
struct Q { float x; };
template <typename T> float f(T a, typename T::type b) { return b; }
template <typename T, int N> float f(T a[N], float b) { return b; }
template <typename T, int N = T::count> float g(T a) { return N; }
template <typename T> float g(T a, float b) { return b; }

[numthreads(1, 1, 1)]
void main() {
  S s = {1};
  Q q = {2};
  Q list[2] = {q, q};
  f(s, 1) + f(list, 2) + g(q, 1);
  f<S>(s, 1) + g<Q>(q, 1);
  f(q, 1);
  g(q);
}
