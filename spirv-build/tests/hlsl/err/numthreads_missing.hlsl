// options: entry=main
void main(uint3 id : SV_DispatchThreadID) { }
