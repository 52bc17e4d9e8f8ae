#include "missing.hlsli
#defin X
#define
#define F(a, b) a + b
#define F(a, b) a * b
#define BAD(a
#define PASTE(a, b) a ## b
#if 1 +
#endif
#if 1 / 0
#endif
#else
#endif
#pragma unknown thing
#line abc
#warning be careful
#error stop here
static const int a = F(1);
static const int b = F(1, 2, 3);
static const int c = PASTE(+, /);
static const int d = "a" + 'b;
static const int e = 0xZZ + 12abc + 1e + 99999999999999999999;
static const int f = 1 @ 2 – 3;
#ifdef UNDEFINED
this is not read '"
/* unterminated
