// Control flow that the items of a wave take apart: each function depends on its argument in its own way. All in
// integers, so that every device gives the same.
#define CASES 17

StructuredBuffer<uint> seeds;
RWStructuredBuffer<uint> results; // CASES for each seed
cbuffer Params {
    uint n;
};

uint nested_ifs(uint x)
{
    uint r = 0;
    if (x & 1) {
        r += 3;
        if (x & 2)
            r *= 5;
        else if (x & 4)
            r -= 1;
    } else {
        r = x >> 3;
        if ((x & 12) == 12)
            r ^= 0xff;
    }
    return r;
}

uint early_return(uint x)
{
    if (x % 3 == 0)
        return 1;
    if (x % 5 == 0) {
        if (x % 7 == 0)
            return 2;
        x += 9;
    }
    return x * 2;
}

uint break_and_continue(uint x)
{
    uint sum = 0;
    for (uint i = 0; i < 20; i++) {
        if ((x >> (i % 8)) & 1)
            continue;
        if (i * i > (x & 127))
            break;
        sum += i + 1;
    }
    return sum;
}

uint while_collatz(uint x)
{
    uint v = (x & 63) + 1, steps = 0;
    while (v != 1) {
        v = (v & 1) ? 3 * v + 1 : v / 2;
        steps++;
    }
    return steps;
}

uint do_while(uint x)
{
    uint c = 0;
    do {
        x = x * 1664525 + 1013904223;
        c++;
        if (c == 30)
            break;
    } while ((x >> 28) != 7);
    return c;
}

uint return_inside_loops(uint x)
{
    for (uint i = 0; i < 8; i++) {
        for (uint j = 0; j < 8; j++) {
            if (i * 8 + j == (x & 63))
                return i * 100 + j;
            if (j > (x & 7))
                break;
        }
    }
    return 9999;
}

uint switch_cases(uint x)
{
    uint r = x & 0xff;
    switch (x % 6) {
    case 0:
        r += 1;
        break;
    case 1:
    case 2:
        if (r > 100)
            break;
        r *= 2;
        break;
    case 4:
        return r ^ 0x55;
    default:
        r = 77;
        break;
    }
    return r + 1000;
}

uint switch_in_loop(uint x)
{
    uint r = 0;
    for (uint i = 0; i < 6; i++) {
        switch ((x >> i) & 3) {
        case 0:
            continue;
        case 1:
            r += 10;
            break;
        case 2:
            if (r > 20)
                return r;
            r += 1;
            break;
        default:
            r += 100;
            break;
        }
        r++;
    }
    return r;
}

uint local_array(uint x)
{
    uint a[8];
    for (uint i = 0; i < 8; i++)
        a[i] = x >> i;
    a[x & 7] = 5;
    a[(x >> 3) & 7] += a[(x >> 6) & 7];
    uint sum = 0;
    for (uint j = 0; j < 8; j++)
        sum += a[j] * (j + 1);
    return sum;
}

static const uint TABLE[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };

uint table(uint x)
{
    return TABLE[x & 7] * 10 + TABLE[(x >> 3) & 7];
}

void divide(uint a, uint b, out uint quotient, inout uint calls)
{
    calls++;
    quotient = b == 0 ? 0 : a / b;
}

uint out_parameters(uint x)
{
    uint q = 0, calls = 0;
    divide(x, x & 15, q, calls);
    if (q > 1000)
        divide(q, 10, q, calls);
    return q * 4 + calls;
}

uint short_circuit(uint x)
{
    uint r = 0;
    if (((x & 1) != 0 && (100 / (x & 7)) > 20) || (x & 0x80) != 0)
        r = 1;
    uint y = (x & 2) ? (x & 4 ? 10 : 20) : (x & 8 ? 30 : 40);
    return r * 1000 + y;
}

uint mixed_loops(uint x)
{
    uint total = 0;
    for (uint i = 0; i < 5; i++) {
        uint j = 0;
        while (true) {
            j++;
            if (j > ((x >> i) & 7))
                break;
            if (((i + j) & 3) == 0)
                continue;
            total += j;
        }
        if (total > 25)
            break;
        total += 1;
    }
    return total;
}

struct Pair {
    uint first;
    int2 second;
};

Pair make(uint x)
{
    Pair p;
    p.first = x & 31;
    p.second = int2(x & 15, -int((x >> 4) & 15));
    if (p.first > 16)
        p.second.x = 100;
    return p;
}

uint structs(uint x)
{
    Pair p = make(x);
    Pair q = p;
    q.second.yx = p.second;
    return p.first + uint(q.second.x + 200) * 7 + uint(q.second.y + 200);
}

uint bits(uint x)
{
    return countbits(x) + firstbitlow(x | 0x100) * 64 + firstbithigh(x | 1) * 4096 + (reversebits(x) >> 20);
}

uint signed_arithmetic(uint x)
{
    int v = int(x) >> 3;
    int w = int(x & 31) - 16;
    int d = w == 0 ? 1 : w;
    return uint(v / d + v % d + min(v, w) + max(v, w) + abs(w) + sign(v) + clamp(v, -5, 5));
}

// The counter is the same for all items that go on: there is one way to do so, under a condition.
uint continue_once(uint x)
{
    uint sum = 0;
    uint i = 0;
    while (true) {
        sum += x ^ (i * 5);
        i++;
        if (i < (x & 15))
            continue;
        break;
    }
    return sum + i;
}

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= n)
        return;
    uint x = seeds[id.x];
    uint at = id.x * CASES;
    results[at + 0] = nested_ifs(x);
    results[at + 1] = early_return(x);
    results[at + 2] = break_and_continue(x);
    results[at + 3] = while_collatz(x);
    results[at + 4] = do_while(x);
    results[at + 5] = return_inside_loops(x);
    results[at + 6] = switch_cases(x);
    results[at + 7] = switch_in_loop(x);
    results[at + 8] = local_array(x);
    results[at + 9] = table(x);
    results[at + 10] = out_parameters(x);
    results[at + 11] = short_circuit(x);
    results[at + 12] = mixed_loops(x);
    results[at + 13] = structs(x);
    results[at + 14] = bits(x);
    results[at + 15] = signed_arithmetic(x);
    results[at + 16] = continue_once(x);
}
