x = 1;
foo();
float f(float x { return x; }
RWStructuredBuffer<float> o
[numthreads(1, 1, 1)]
void main() {
    o[0] = 1;
}
}
struct A { float x; }
float y;
