struct Params { float radius; float width; float area() { return width; } };
StructuredBuffer<Params> p;
RWStructuredBuffer<float> o;
Texture2D<float4> t;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    Params q = p[0];
    o[id] = q.raduis + q.height + q.area;
    o[id] = q.aera() + t.Lod(int3(0, 0, 0)).x + t.Load + o.Length();
    o[id] = t.Sample(0, 1).x + id.foo();
}
