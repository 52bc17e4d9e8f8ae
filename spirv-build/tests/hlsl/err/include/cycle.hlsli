#include "cycle.hlsli"
