// Pointers that are not known until the kernel runs. The source of pointers.ll:
//
//     clang --target=spir64 -O1 -fno-discard-value-names -cl-std=CL2.0 -cl-kernel-arg-info -S -emit-llvm pointers.cl

// Every item reads from one of two buffers and writes to one of two others.
__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void choose(global const int *odd, global const int *even, global int *low, global int *high, uint n)
{
    size_t i = get_global_id(0);
    if (i >= n)
        return;
    global const int *from = i % 2 ? odd : even;
    int v = from[i];
    global int *to = v < 0 ? low : high;
    to[i] = v * 3;
    atomic_add(to + n, 1);
}

// Walks to the first zero byte.
kernel void lengths(global const uchar *text, global const uint *starts, global uint *out)
{
    size_t i = get_global_id(0);
    global const uchar *p = text + starts[i];
    while (*p)
        p++;
    out[i] = (uint)(p - (text + starts[i]));
}

// The sum of each work-group, in memory whose size the host chooses.
kernel void sums(global const float *x, global float *out, local float *part, uint n)
{
    size_t i = get_global_id(0), l = get_local_id(0);
    part[l] = i < n ? x[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (l < step)
            part[l] += part[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}

struct Item { char tag; short weight; long total; double mean; };

// Values of all widths, in structs with padding.
kernel void widths(global struct Item *items, global const uchar4 *colours, global ushort *grey, global half *halves)
{
    size_t i = get_global_id(0);
    global struct Item *p = items + i;
    p->total += (long)p->weight * p->tag;
    p->mean = p->total / (double)(p->weight ? p->weight : 1);
    p->tag = (char)(p->tag >> 1);
    uchar4 c = colours[i];
    grey[i] = (ushort)c.x * 77 + (ushort)c.y * 150 + (ushort)c.z * 29;
    vstore_half(vload_half(i, halves) * 0.5f + c.w, i, halves);
}

// Edits lines of 64 bytes: moves some of them, which may overlap, then sets some to one value. How many is known to the item
// alone.
__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void edit(global uchar *text, global const uint *edits)
{
    size_t i = get_global_id(0);
    global uchar *line = text + i * 64;
    uint e = edits[i];
    uint moved = e >> 10 & 31, set = e >> 15 & 15;
    __builtin_memmove(line + (e & 31), line + (e >> 5 & 31), moved);
    __builtin_memset(line + 64 - set, (int)(e >> 24), set);
}
