// What ++, op= and casts to a base name can be written and passed on.
struct Base { int4 a; int b; void set(int v) { b = v; } };
struct Middle : Base { float m; };
struct Derived : Middle { int c; };
RWStructuredBuffer<int4> Out;
RWTexture2D<float> Image;
groupshared Derived shared_one;
void change(inout Base x, int by) { x.b += by; }
void count(inout int n) { n *= 2; }
[numthreads(4, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    int a = 1, b = 2;
    --a = b;
    --(--a) = ++(++b);
    (a += b) = (b -= 3);
    count(++a);
    Derived d = (Derived)0;
    Derived e = d;
    (Base)d = (Base)e;
    (Middle)d = e;
    ((Base)d).a.y = a;
    ((Base)shared_one).set(5);
    change((Base)shared_one, 1);
    change((Base)(Middle)d, 2);
    float before = ++Image[id.xy];
    Out[id.x] = int4(a, d.b, shared_one.b, before);
}
