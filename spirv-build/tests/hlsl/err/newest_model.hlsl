// options: entry=main profile=cs_6_10
// Coherence between shaders that change places is for resources that are written; to a compute shader it means nothing.
reordercoherent RWBuffer<float> fine;
reordercoherent Buffer<float> wrong;
globallycoherent StructuredBuffer<float> also_wrong;
RaytracingAccelerationStructure scene;
float named() { float reordercoherent = 2; return reordercoherent; }
[numthreads(1, 1, 1)] void main() {
    RayQuery<0> query;
    fine[0] = named() + query.CandidateClusterID();
    fine[1] = ClusterID();
}
