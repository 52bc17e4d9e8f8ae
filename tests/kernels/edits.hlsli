// What many programs share: a kernel has no argument for what it does not name.
StructuredBuffer<float> everybodys;
RWStructuredBuffer<uint> nobodys;
SamplerState smooth;

float of_everybody(uint i)
{
    return everybodys[i] + float(nobodys[i]);
}
