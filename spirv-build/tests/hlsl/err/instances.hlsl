// What is wrong with an instance is told where something uses it, once: anything but a method that nothing uses.
RWStructuredBuffer<float> o;
template<typename T>
struct Handle {
    T value;
    float member() { return value.missing; }
    float unused() { return value.missing_too; }
};
template<typename T>
float function(T x) { return x.gone; }
template<typename T>
struct Wrong { Nowhere n; T value; float f() { return 1; } };
float unreached() { Wrong<float> w; return w.f() + function(2u); }
float through(float x) { return function(x); }
template<bool B = true> float declared(float x);
[numthreads(1, 1, 1)]
void main() {
    Handle<float> h;
    h.value = 2;
    o[0] = h.member() + h.member() + through(1) + declared(1);
}
