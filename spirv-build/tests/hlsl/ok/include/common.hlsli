#pragma once
int twice(int x) { return x * 2; }
