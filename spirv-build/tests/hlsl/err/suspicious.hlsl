// What is allowed and yet looks like a mistake, each beside the spelling that is meant.
RWStructuredBuffer<float> o;
RWStructuredBuffer<int> n;
RWStructuredBuffer<uint> u;
#define IS_SET(x, bits) (x & bits == 0)
template <typename T> bool negative(T x) { return x < 0; }

[numthreads(1, 1, 1)]
void main()
{
    int a = n[0], b = n[1];
    uint c = u[0];
    bool p = a > 1, q = b > 2;
    if (a = b) o[0] = 1;
    while (p = q) { break; }
    if ((a = b)) o[0] = 1;
    if (a & 1 == 0) o[1] = 1;
    if ((a & 1) == 0 || IS_SET(a, 1)) o[1] = 1;
    if (p || q && p) o[2] = 1;
    if (p || (q && p)) o[2] = 1;
    n[2] = a | b & 1;
    n[2] = a << b + 1;
    n[2] = a << (b + 1);
    if (p) if (q) o[3] = 1; else o[3] = 2;
    if (p) { if (q) o[3] = 1; } else o[3] = 2;
    if (p) if (q) o[3] = 1; else o[3] = 2; else o[3] = 3;
    if (p); o[4] = 1;
    for (int i = 0; i < 3; i++);
    {
        o[4] = 2;
    }
    for (int j = 0; o[j] < 3; j++);
    o[4] = 3;
    if (c < 0) o[5] = 1;
    if (c >= 0) o[5] = 1;
    if (0 > c) o[5] = 1;
    if (c > 0 || negative(c)) o[5] = 1;
    if (a == a) o[6] = 1;
    if (o[6] != o[6]) o[6] = 2;
    n[3] = a << 32;
    n[3] = a >> -1;
    n[3] = a << 31;
    int whole = 1.5;
    int cast = (int)1.5;
    int fits = 2.0;
    n[4] = whole + cast + fits;
}
