RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float radius = 1;
    o[id] = raduis + undefinedThing + Radius;
    o[id] = satruate(radius) + nosuch(1);
    outer::x = 1;
}
