enum Kind { A, B };
struct Bits {
  uint wide : 40;
  float real : 3;
  uint none : 0;
  uint2 vector : 4;
  bool truth : 2;
  bool wide_truth : 33;
  min16int narrow : 17;
  Kind kind : 2;
  uint n : width;
};
RWStructuredBuffer<Bits> data;
void change(inout uint x) { x += 1; }
[numthreads(1, 1, 1)] void main() {
  data[0].kind = 3.5;
  data[0].missing = 1;
  InterlockedAdd(data[0].kind, 1);
  uint size = sizeof(data[0].kind) + sizeof(data[0]);
}
enum Either : bool { No, Yes };
