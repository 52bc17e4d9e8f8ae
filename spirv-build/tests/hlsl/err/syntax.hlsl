RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    float a = (1 + 2;
    float b = 1 + * 2;
    if a > 1) { o[id] = 1; }
    for (int i = 0; i < 3, i++) { }
    int c = 5 5;
    o[id] = a +;
    float[3] d;
    x.y.;
    o[id] = { 1, 2 };
    a->b;
    goto end;
    else a = 1;
}
