#define INNER(x) (x + missing_name)
#define OUTER(x) INNER(x) * 2
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main() { o[0] = OUTER(1) + OUTER(other); }
