// options: 
// A header in letters of another case, as on a system that does not tell them apart.
#include "Include/nested.HLSLI"
