enum Mode { OFF, ON = 4, AUTO };
enum class Kind : uint { A, B = 7 };
// The values know each other.
enum class Bits : uint { LOW = 3, HIGH = LOW << 4, BOTH = LOW | HIGH };
RWStructuredBuffer<int> o;
[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    Mode m = (Mode)id;
    Kind k = Kind::B;
    int x = ON + AUTO;
    switch (m) {
    case OFF: x = 1; break;
    case ON: x = 2; break;
    }
    if (k == Kind::A || m == AUTO) x++;
    o[id] = x + (int)k + Mode::ON + (int)Bits::BOTH;
}
