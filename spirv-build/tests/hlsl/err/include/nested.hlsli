#define SCALE(x) ((x) * factr)
float scale(float factor, float x) { return SCALE(x); }
float broken(float x) { return y; }
