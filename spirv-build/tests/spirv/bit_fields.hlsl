// spirvc: -T cs_6_2 -E main -enable-16bit-types --emit asm
// Bit fields share the member before them where the type is the same and there is room.
enum Mode : uint { Off, On, Auto };
struct Packed {
  uint a : 3;
  uint b : 5;
  uint : 2;
  int c : 4;        // another type: another member
  uint64_t d : 40;
  uint64_t e : 30;  // no room
  uint16_t f : 7;
  Mode mode : 2;
  uint : 0;
  Mode other : 2;   // a width of 0 ends the member
  uint more : 4;    // in memory an enumeration is its integer
  min16uint small : 9;
  bool lit : 1;     // and a `bool` an `uint`
};
struct Flags { bool a : 1; bool b : 2; int n : 3; min16int m : 4; };
RWStructuredBuffer<Flags> flags;
cbuffer F { Flags fixed; };
Flags both() { return fixed; }
struct Pair { uint low : 16; uint high : 16; };
cbuffer C { Pair pair; uint g : 8; uint h : 24; };
RWStructuredBuffer<Packed> data;
RWStructuredBuffer<uint> result;

struct Truth { bool yes : 1; bool no : 1; uint rest : 7; };
static Truth hidden;
RWStructuredBuffer<Truth> truths;

uint take(Truth t, inout Truth other) {
  other.no = !t.no;
  return t.yes ? t.rest : 9;
}

Pair swapped(Pair p) {
  Pair q = { p.high, p.low };
  return q;
}

[numthreads(1, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
  data[id].a = 5;
  data[id].c -= 2;
  data[id].d = data[id].e + 1;
  data[id].f = (uint16_t)id;
  data[id].mode = Auto;
  result[0] = data[id].b + data[id].c;
  result[1] = swapped(pair).low;
  result[2] = (uint)pair;       // the first member
  result[3] = g;
  data[id].lit = data[id].more > 3;
  data[id].small += 1;
  flags[id].a = flags[id].b && fixed.a;
  flags[1].m = flags[1].n;
  flags[2] = fixed;
  result[4] = both().b;
  Truth l = { true, false, 5 };
  hidden = truths[id];
  hidden.no = l.yes == (id != 3);
  result[5] = take(hidden, l);
  truths[0] = l;
}
