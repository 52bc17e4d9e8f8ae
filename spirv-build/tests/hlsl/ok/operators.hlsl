struct Complex {
    float re, im;
    Complex operator+(Complex b) { Complex c = { re + b.re, im + b.im }; return c; }
    Complex operator*(Complex b) { Complex c = { re * b.re - im * b.im, re * b.im + im * b.re }; return c; }
    float operator[](int i) { return i == 0 ? re : im; }
};
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    Complex a = { 1, 2 };
    Complex b = { 3, 4 };
    Complex c = a * b + a;
    o[id] = c[0] + c[1];
}
