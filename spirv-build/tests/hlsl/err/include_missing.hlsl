#include "include/nested.hlsli"
#include "nowhere.hlsli"
