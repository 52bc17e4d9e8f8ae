RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main() {
    if (true) {
        o[0] = 1;
