// Methods of local structs have no access to the variables of the function around.
RWStructuredBuffer<float> results;
static float shared_by_all = 1;

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float a = 1, b = 2;
    struct Local {
        float v;
        float sum(float c) { return v + c + shared_by_all; }
        float around() { return b; }
        float called() { return b(); }
    };
    Local l;
    l.v = a;
    results[0] = l.sum(b) + l.around();
}
