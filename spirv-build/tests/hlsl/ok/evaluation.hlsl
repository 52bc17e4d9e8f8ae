// Side effects happen once and in order.
RWStructuredBuffer<int> o;
int take(inout int n) { return n++; }
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    int i = 0;
    int a[4] = { take(i), take(i), i++, ++i };
    a[i++ & 3] += take(i);
    int3 v = int3(a[0], int2(take(i), i));
    v = (i++, v.zyx);
    i = a[1] = a[2] = v.x;
    bool both = i > 0 && take(i) > 2;
    int c = both ? take(i) : take(a[0]);
    o[id] = o[i] = v.y + c;
}

[numthreads(1, 1, 1)]
void order(uint id : SV_DispatchThreadID) {
    int i = 0;
    int3 v = int3(i, int2(take(i), i) + 1);
    int4 w = int4(take(i), (int2)take(i), o[take(i)]);
    o[id] = v.x + w.y;
}
