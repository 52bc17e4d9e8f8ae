// Which overload is meant: what the arguments go through is counted by kind, for all of them together. Each call's number
// is that of the function it must reach.
RWStructuredBuffer<int> o;

int a(float v) { return 1; }   int a(bool v) { return 2; }
int b(int v) { return 1; }     int b(float2 v) { return 2; }
int c(float v) { return 1; }   int c(int v) { return 2; }
int d(int v) { return 1; }     int d(uint v) { return 2; }     int d(float v) { return 3; }
int e(float v) { return 1; }   int e(float3 v) { return 2; }
int f(float u, int v) { return 1; }           int f(int u, float v) { return 2; }
int g(inout float v) { return 1; }            int g(int v) { return 2; }
int h(float2 u, float v) { return 1; }        int h(float u, float2 v) { return 2; }   int h(float3 u, bool v) { return 3; }
struct Base { int i; };
struct Middle : Base { int j; };
struct Last : Middle { int k; };
int s(Base v) { return 1; }    int s(Middle v) { return 2; }

template <int N> int sized(float v[N]) { return N; }
template <uint N, int M, typename T> T both(T v[N][M]) { return v[N - 1][M - 1]; }

struct Above { int v; int get() { return v; } };
struct Below : Above { int v; int get() { return v + Above::v; } };

[numthreads(1, 1, 1)]
void main(uint x : SV_DispatchThreadID) {
  float v = x;
  Last last = (Last)0;
  o[0] = a(x);                      // 2: to `bool` is less of a change than from `uint`
  o[1] = b(v);                      // 2: spread rather than changed
  o[2] = c((int64_t)x);             // 2, with a warning: a wider integer rather than a float
  o[3] = d(v) + d(x);               // 3, 2
  o[4] = e(v) * 10 + e(float3(x, x, x));   // 1, 2
  o[5] = f(v, 2) * 10 + f(x, v);    // 1, 2
  o[6] = g(2) * 10 + g(v);          // 2: no variable; 1
  o[7] = h(v, float2(v, v));        // 2
  o[8] = s(last);                   // 2: the nearer base
  float list[3] = {1, 2, v};
  int grid[2][2] = {1, 2, 3, x};
  o[9] = sized(list) + both(grid);
  Below below;
  below.v = 1;
  below.Above::v = x;
  o[10] = below.get() + below.Above::get() * 10 + below.Below::get();
}
