// Interfaces say what classes have; nothing else is made of them.
interface Shape { float area(); float scaled(float by); };
interface Named { int id(); };
class Square : Shape {
    float side;
    float area() { return side * side; }
    float scaled(float by) { return area() * by; }
};
struct Base { int number; };
class Numbered : Base, Named, Shape {
    int id() { return number; }
    float area() { return 1; }
    float scaled(float by) { return by; }
};
cbuffer Mixed { float4 first; int4 far : packoffset(c20); float2 behind; };
RWStructuredBuffer<float> Out;
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    Square s = { 3 };
    Numbered n = { 4 };
    Out[id.x] = s.scaled(2) + n.id() + n.area() + behind.y + far.x;
}
