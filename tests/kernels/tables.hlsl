// spirvc: -T cs_6_0 -fselect-resources
// Local tables whose entries hold buffers, with two indices that are known at run time only.

StructuredBuffer<uint> a, b;
RWStructuredBuffer<uint> results;

struct Entry { StructuredBuffer<uint> from; uint count; };

[numthreads(32, 1, 1)]
void main(uint id : SV_DispatchThreadID)
{
    Entry table[2][3];
    for (uint k = 0; k < 6; k++) {
        if (k & 1) table[k / 3][k % 3].from = a;
        else table[k / 3][k % 3].from = b;
        table[k / 3][k % 3].count = k;
    }
    // The values come from memory: nothing is known of them.
    uint row = a[id] % 2, column = b[id] % 3;
    table[row][column].count += 7;
    results[4 * id] = table[row][column].from[id];
    table[1 - row][2 - column] = table[row][column];
    results[4 * id + 1] = table[1][2].from[id];
    results[4 * id + 2] = table[1 - row][2 - column].count;
    Entry entries[3] = table[row];
    results[4 * id + 3] = entries[column].count * 100 + entries[(column + 1) % 3].count;
}
