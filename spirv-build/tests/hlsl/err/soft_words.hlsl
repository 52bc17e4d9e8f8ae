RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)] void main() {
    precise Unknown x;
    precise = 2;
    o[0] = precise;
}
