#include "include/cycle.hlsli"
