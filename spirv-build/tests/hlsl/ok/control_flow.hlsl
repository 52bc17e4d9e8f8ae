RWStructuredBuffer<int> o;
int classify(int x) {
    switch (x) {
    case 0:
    case 1:
        return 10;
    case 2: {
        x += 5;
        break;
    }
    case 3:
        x *= 2;
    default:
        x -= 1;
        break;
    }
    return x;
}
[numthreads(64, 1, 1)]
void main(uint id : SV_DispatchThreadID) {
    int sum = 0;
    for (int i = 0, j = 10; i < j; i++, j--) {
        if (i == 3) continue;
        else if (i == 5) break;
        else sum += i;
    }
    do {
        sum--;
    } while (sum > 100);
    [loop] while (true) {
        if (sum++ > 20) break;
    }
    [branch] if ((sum > 3 && id != 2) || !sum) sum = classify(sum);
    [unroll(4)] for (;;) { if (sum > 5) return; ++sum; }
}
