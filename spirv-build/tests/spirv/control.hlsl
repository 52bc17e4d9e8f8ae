// spirvc: -T cs_6_0 -E main -O0 --emit ir
RWStructuredBuffer<int> data;

int search(int limit)
{
    for (int i = 0; i < limit; i++) {
        if (data[i] == 7) return i;
        if (data[i] < 0) continue;
        for (int k = 0;; k++) {
            if (k > data[i]) break;
            if (data[k] == limit) return k + data[k];
        }
    }
    return -1;
}

int choose(int x)
{
    int result = 0;
    [branch] switch (x) {
        case 0:
        case 1: result = 10; break;
        case 5:
            for (int i = 0; i < 3; ++i) { if (i == data[i]) { break; } result += i; }
            break;
        case -3: return 99;
        default: result = x > 3 && data[x] > 2 ? data[1] : 4;
    }
    return result;
}

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    int n = search(data[0]);
    do { n -= 2; if (n == 5) continue; if (n == 6) break; data[n] = n; } while (n > 0 || data[-n] == 3);
    [unroll] while (true) { n = choose(n); if (n > 100) return; data[3] = n; if (n < 4) break; }
    { if (n == 1) { data[4] = 1; } else if (n == 2) { return; } else { data[5] = 2; } }
    for (;;) { data[6]++; if (data[6] > 3) return; }
}
