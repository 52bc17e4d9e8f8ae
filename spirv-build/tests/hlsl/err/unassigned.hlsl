// Reads of what nothing has written. What may have been written is silent, and so is what a part of was.
RWStructuredBuffer<float> o;
struct Pair { float a; int b; };

void never(out float a, float b) { o[0] = b; }
void on_some_ways(out float a, float b) { if (b > 1) a = 2; }
float reads_first(out float a) { float b = a; a = 1; return b; }
void set(out float a) { a = 1; }
void adds(inout float a) { a += 1; }

float unwritten() { float x; return x; }
float whole_struct() { Pair p; return p.a; }
float whole_array(int k) { float a[4]; return a[k]; }
float before_the_write(int k) { float x; float y = x + k; x = y; return x; }
float in_a_branch(int k) { float x; if (k > 1) { return x; } x = 1; return x; }
float compound() { float x; x += 1; return x; }

float branches(int k) { float x; if (k > 1) x = 1; return x; }
float loops(int k) { float x; for (int i = 0; i < k; i++) x = i; return x; }
float endless(int k) { float x; while (true) { x = k; if (k > 2) break; k++; } return x; }
float cases(int k) { float x; switch (k) { case 0: x = 1; break; default: x = 2; break; } return x; }
float rounds(int k) { float last, sum = 0; for (int i = 0; i < k; i++) { if (i > 0) sum += last; last = i; } return sum; }
float parts() { float4 v; v.x = 1; return v.x; }
float elements(int k) { float a[4]; a[k] = 1; return a[2]; }
float members() { Pair p; p.a = 1; return p.a; }
float passed() { float x, y; set(x); adds(y); return x + y; }
float both(bool c) { float x; if (c) x = 1; else x = 2; return x; }
float asked() { uint n, stride; o.GetDimensions(n, stride); float s, c; sincos(n, s, c); return s + c; }

[numthreads(1, 1, 1)]
void main(int k : SV_GroupIndex)
{
    float z;
    never(z, 1);
    on_some_ways(z, 1);
    o[1] = reads_first(z) + unwritten() + whole_struct() + whole_array(k) + before_the_write(k) + in_a_branch(k) + compound();
    o[2] = branches(k) + loops(k) + endless(k) + cases(k) + rounds(k) + parts() + elements(k) + members() + passed();
    o[3] = both(k > 1) + asked();
}
