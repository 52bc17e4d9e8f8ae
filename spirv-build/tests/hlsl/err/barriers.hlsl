// options: profile=cs_6_8
RWStructuredBuffer<uint> o;
StructuredBuffer<uint> i;
[numthreads(64, 1, 1)] void main(uint id : SV_GroupIndex) {
    Barrier(16, GROUP_SYNC);
    Barrier(UAV_MEMORY, 8);
    Barrier(UAV_MEMORY, id);
    Barrier(NODE_INPUT_MEMORY, DEVICE_SCOPE);
    Barrier(GROUP_SHARED_MEMORY, DEVICE_SCOPE);
    Barrier(0, GROUP_SCOPE);
    Barrier(i, GROUP_SYNC);
    Barrier(UAV_MEMORY);
}
