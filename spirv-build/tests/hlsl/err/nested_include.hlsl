#include "include/nested.hlsli"
