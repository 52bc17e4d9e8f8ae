template<typename T> T square(T x) { return x * x; }
template<typename T, int N> struct Stack {
    T items[N];
    int count;
    void push(T x) { items[count++] = x; }
    T sum() {
        T s = (T)0;
        for (int i = 0; i < N; ++i) s += items[i];
        return s;
    }
};
template<typename T, int N> T total(vector<T, N> v) {
    T s = 0;
    for (int i = 0; i < N; i++) s += v[i];
    return s;
}
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    Stack<float, 4> s;
    s.count = 0;
    s.push(square(2.0f));
    s.push(square<int>(3));
    vector<float, 3> v = vector<float, 3>(1, 2, 3);
    o[id] = s.sum() + total(v) + square(float2(1, 2)).y;
}
