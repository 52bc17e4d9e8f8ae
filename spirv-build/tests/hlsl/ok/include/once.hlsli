#pragma once
#include "../include/once.hlsli"
static const int once = 1;
