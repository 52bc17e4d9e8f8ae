"""What the grammar does not say of instructions: effects, algebra, control flow. By class, with exceptions by name.

Every class has a row here: a new one stops the generator until somebody has decided. What is not known to have fewer effects
has all of them (`UNKNOWN`).
"""

# The bits, in the order of `src/traits.rs`.
BITS = (
    "RESULT_TYPE RESULT READS WRITES EFFECT TERMINATOR EXIT COMMUTATIVE ELEMENTWISE CONVERGENT FOLDABLE "
    "UNIQUE TYPE CONSTANT IN_FUNCTION ATOMIC DEBUG DERIVATIVE ADDRESS"
).split()
BIT = {name: 1 << i for i, name in enumerate(BITS)}


def bits(text):
    return sum(BIT[name] for name in text.split())


# Anything may happen.
UNKNOWN = "READS WRITES EFFECT CONVERGENT"

# Class: what its instructions do, unless EXCEPTIONS has them.
CLASSES = {
    "Miscellaneous": "IN_FUNCTION",
    "Debug": "DEBUG",
    "Annotation": "",
    "Extension": "",
    "Mode-Setting": "",
    "Type-Declaration": "TYPE",
    "Constant-Creation": "CONSTANT",
    "Function": "",
    "Memory": "READS WRITES EFFECT IN_FUNCTION",
    "Image": "READS IN_FUNCTION",
    "Conversion": "FOLDABLE IN_FUNCTION",
    "Composite": "FOLDABLE IN_FUNCTION",
    "Arithmetic": "FOLDABLE IN_FUNCTION",
    "Relational_and_Logical": "FOLDABLE ELEMENTWISE IN_FUNCTION",
    "Bit": "FOLDABLE IN_FUNCTION",
    "Derivative": "DERIVATIVE CONVERGENT ELEMENTWISE IN_FUNCTION",
    "Control-Flow": "",
    "Atomic": "READS WRITES ATOMIC IN_FUNCTION",
    "Primitive": "READS WRITES EFFECT IN_FUNCTION",
    "Barrier": "READS WRITES EFFECT CONVERGENT IN_FUNCTION",
    "Group": "CONVERGENT IN_FUNCTION",
    "Non-Uniform": "CONVERGENT IN_FUNCTION",
    "Device-Side_Enqueue": UNKNOWN + " IN_FUNCTION",
    "Pipe": UNKNOWN + " IN_FUNCTION",
    "Tensor": "IN_FUNCTION",
    "Graph": "",
    # Vendors' and unfinished ones.
    "Reserved": UNKNOWN + " IN_FUNCTION",
    "@exclude": UNKNOWN + " IN_FUNCTION",
}

# Traits: names, in place of what the class says.
EXCEPTIONS = [
    # Two of these are two values, whatever their operands are.
    ("UNIQUE IN_FUNCTION", "Variable UntypedVariableKHR VariableLengthArrayINTEL UntypedVariableLengthArrayINTEL"),
    ("UNIQUE IN_FUNCTION", "Undef FreezeKHR"),
    ("IN_FUNCTION", "PoisonKHR SizeOf CooperativeMatrixLengthKHR CooperativeMatrixGetCoordinateEXT"),
    # They say something to the optimiser, or forbid it something.
    ("EFFECT IN_FUNCTION", "AssumeTrueKHR"),
    ("IN_FUNCTION", "ExpectKHR ArithmeticFenceEXT"),
    ("DEBUG IN_FUNCTION", "Line NoLine"),
    (UNKNOWN + " IN_FUNCTION", "FunctionCall CooperativeMatrixPerElementOpEXT"),
    ("CONVERGENT IN_FUNCTION", "CooperativeMatrixReduceEXT"),
    # The extended instruction tells; without one nothing is known.
    (UNKNOWN + " IN_FUNCTION", "ExtInst ExtInstWithForwardRefsKHR"),
    # Memory.
    ("READS IN_FUNCTION", "Load PredicatedLoadINTEL MaskedGatherINTEL CooperativeVectorLoadNV"),
    ("WRITES IN_FUNCTION", "Store PredicatedStoreINTEL MaskedScatterINTEL CooperativeVectorStoreNV"),
    ("READS WRITES IN_FUNCTION", "CopyMemory CopyMemorySized"),
    ("READS CONVERGENT IN_FUNCTION", "CooperativeMatrixLoadKHR CooperativeMatrixLoadTensorNV CooperativeMatrixLoadNV"),
    ("WRITES CONVERGENT IN_FUNCTION", "CooperativeMatrixStoreKHR CooperativeMatrixStoreTensorNV CooperativeMatrixStoreNV"),
    ("IN_FUNCTION", """AccessChain InBoundsAccessChain PtrAccessChain InBoundsPtrAccessChain ArrayLength GenericPtrMemSemantics
        PtrEqual PtrNotEqual PtrDiff ImageTexelPointer UntypedAccessChainKHR UntypedInBoundsAccessChainKHR
        UntypedPtrAccessChainKHR UntypedInBoundsPtrAccessChainKHR UntypedArrayLengthKHR BufferPointerEXT
        UntypedImageTexelPointerEXT RawAccessChainNV"""),
    # Images: what touches no texel, what writes some, and what asks neighbours for derivatives.
    ("IN_FUNCTION", """SampledImage Image ImageQueryFormat ImageQueryOrder ImageQuerySizeLod ImageQuerySize ImageQueryLevels
        ImageQuerySamples ImageSparseTexelsResident ConvertHandleToImageINTEL ConvertHandleToSamplerINTEL
        ConvertHandleToSampledImageINTEL"""),
    ("DERIVATIVE CONVERGENT IN_FUNCTION", "ImageQueryLod"),
    ("WRITES IN_FUNCTION", "ImageWrite"),
    ("DERIVATIVE READS CONVERGENT IN_FUNCTION", """ImageSampleImplicitLod ImageSampleDrefImplicitLod ImageSampleProjImplicitLod
        ImageSampleProjDrefImplicitLod ImageSparseSampleImplicitLod ImageSparseSampleDrefImplicitLod
        ImageSparseSampleProjImplicitLod ImageSparseSampleProjDrefImplicitLod ImageSampleFootprintNV"""),
    # Conversions of addresses, and of what lies across lanes.
    ("IN_FUNCTION", """ConvertPtrToU ConvertUToPtr PtrCastToGeneric GenericCastToPtr GenericCastToPtrExplicit
        BitcastExtractEXT BitCastArrayQCOM"""),
    ("CONVERGENT IN_FUNCTION", "CooperativeMatrixConvertUseEXT CooperativeMatrixTransposeNV"),
    ("FOLDABLE ELEMENTWISE IN_FUNCTION", """ConvertFToU ConvertFToS ConvertSToF ConvertUToF UConvert SConvert FConvert
        QuantizeToF16 SatConvertSToU SatConvertUToS ConvertFToBF16INTEL ConvertBF16ToFINTEL RoundFToTF32INTEL"""),
    ("CONVERGENT IN_FUNCTION", """CooperativeMatrixMulAddKHR CooperativeMatrixMulAddNV CompositeConstructCoopMatQCOM
        CompositeExtractCoopMatQCOM"""),
    ("FOLDABLE ELEMENTWISE IN_FUNCTION", """SNegate FNegate IAdd FAdd ISub FSub IMul FMul UDiv SDiv FDiv UMod SRem SMod FRem
        FMod FmaKHR ShiftRightLogical ShiftRightArithmetic ShiftLeftLogical BitwiseOr BitwiseXor BitwiseAnd Not BitReverse
        BitCount BitwiseFunctionINTEL BitFieldInsert BitFieldSExtract BitFieldUExtract VectorTimesScalar MatrixTimesScalar"""),
    ("FOLDABLE IN_FUNCTION", "Any All"),
    # Ends of blocks.
    ("TERMINATOR", "Branch BranchConditional Switch"),
    ("TERMINATOR EXIT", "Return ReturnValue Unreachable"),
    ("TERMINATOR EXIT EFFECT", "Kill TerminateInvocation AbortKHR TerminateRayKHR IgnoreIntersectionKHR"),
    ("TERMINATOR EXIT READS WRITES EFFECT", "EmitMeshTasksEXT"),
    ("EFFECT IN_FUNCTION", "DemoteToHelperInvocation"),
    ("WRITES IN_FUNCTION", "LifetimeStart LifetimeStop"),
    ("EFFECT IN_FUNCTION", "SaveMemoryINTEL RestoreMemoryINTEL LoopControlINTEL UntypedPrefetchKHR"),
    # An order between accesses, not between invocations.
    ("READS WRITES EFFECT IN_FUNCTION", "MemoryBarrier MemoryNamedBarrier"),
    # Groups: those that also touch memory.
    (UNKNOWN + " IN_FUNCTION", """GroupAsyncCopy GroupWaitEvents UntypedGroupAsyncCopyKHR SubgroupBlockPrefetchINTEL
        Subgroup2DBlockPrefetchINTEL Subgroup2DBlockLoadINTEL Subgroup2DBlockLoadTransformINTEL
        Subgroup2DBlockLoadTransposeINTEL Subgroup2DBlockStoreINTEL"""),
    ("READS CONVERGENT IN_FUNCTION", "SubgroupBlockReadINTEL SubgroupImageBlockReadINTEL SubgroupImageMediaBlockReadINTEL"),
    ("WRITES CONVERGENT IN_FUNCTION",
     "SubgroupBlockWriteINTEL SubgroupImageBlockWriteINTEL SubgroupImageMediaBlockWriteINTEL"),
    ("READS IN_FUNCTION", "TensorReadARM"),
    ("WRITES IN_FUNCTION", "TensorWriteARM"),
    # Vendors'.
    ("TYPE", "TypeNodePayloadArrayAMDX TypeTaskSequenceALTERA"),
    (UNKNOWN + " IN_FUNCTION", "CompositeConstructContinuedINTEL"),
    ("TYPE", "TypeVmeImageINTEL TypeAvc*"),
    ("CONSTANT", "ConstantStringAMDX SpecConstantStringAMDX ConstantFunctionPointerINTEL"),
    ("READS IN_FUNCTION", "FragmentMaskFetchAMD FragmentFetchAMD"),
    ("EFFECT UNIQUE IN_FUNCTION", "ReadClockKHR"),
    ("READS IN_FUNCTION", """RayQueryGet* RayQueryIsSphereHitNV RayQueryIsLSSHitNV FetchMicroTriangleVertexPositionNV
        FetchMicroTriangleVertexBarycentricNV"""),
    ("READS WRITES IN_FUNCTION", """RayQueryInitializeKHR RayQueryTerminateKHR RayQueryGenerateIntersectionKHR
        RayQueryConfirmIntersectionKHR RayQueryProceedKHR"""),
    ("IN_FUNCTION", """ConvertUToAccelerationStructureKHR ConvertUToImageNV ConvertUToSamplerNV ConvertImageToUNV
        ConvertSamplerToUNV ConvertUToSampledImageNV ConvertSampledImageToUNV CreateTensorLayoutNV TensorLayout*
        CreateTensorViewNV TensorView* CooperativeMatrixLengthNV"""),
    ("UNIQUE IN_FUNCTION", "IsHelperInvocationEXT"),
    ("FOLDABLE ELEMENTWISE IN_FUNCTION", """UCountLeadingZerosINTEL UCountTrailingZerosINTEL AbsISubINTEL AbsUSubINTEL
        IAddSatINTEL UAddSatINTEL IAverageINTEL UAverageINTEL IAverageRoundedINTEL UAverageRoundedINTEL ISubSatINTEL
        USubSatINTEL IMul32x16INTEL UMul32x16INTEL"""),
    ("IN_FUNCTION", """FDot2MixAcc32VALVE FDot2MixAcc16VALVE FDot4MixAcc32VALVE ArbitraryFloat* FixedSqrtALTERA
        FixedRecipALTERA FixedRsqrtALTERA FixedSinALTERA FixedCosALTERA FixedSinCosALTERA FixedSinPiALTERA FixedCosPiALTERA
        FixedSinCosPiALTERA FixedLogALTERA FixedExpALTERA PtrCastToCrossWorkgroupALTERA CrossWorkgroupCastToPtrALTERA"""),
    ("DEBUG", "AliasDomainDeclINTEL AliasScopeDeclINTEL AliasScopeListDeclINTEL"),
]

# The first two operands may change places.
COMMUTATIVE = """IAdd FAdd IMul FMul Dot IAddCarry UMulExtended SMulExtended SDot UDot SDotAccSat UDotAccSat BitwiseOr
    BitwiseXor BitwiseAnd LogicalEqual LogicalNotEqual LogicalOr LogicalAnd IEqual INotEqual FOrdEqual FUnordEqual FOrdNotEqual
    FUnordNotEqual Ordered Unordered LessOrGreater PtrEqual PtrNotEqual FmaKHR AbsISubINTEL AbsUSubINTEL IAddSatINTEL
    UAddSatINTEL IAverageINTEL UAverageINTEL IAverageRoundedINTEL UAverageRoundedINTEL"""

# The pointer that results is what the first operand is, or points into the same.
ADDRESSES = """AccessChain InBoundsAccessChain PtrAccessChain InBoundsPtrAccessChain Bitcast CopyObject PtrCastToGeneric
    GenericCastToPtr GenericCastToPtrExplicit"""

# Extended sets: what all do, then exceptions, then the commutative ones. A set without a row is unknown.
COMPUTES = "FOLDABLE ELEMENTWISE"
SETS = {
    "GLSL.std.450": (COMPUTES, [
        ("WRITES", "Modf Frexp"),
        ("READS CONVERGENT", "InterpolateAtCentroid InterpolateAtSample InterpolateAtOffset"),
        ("FOLDABLE", """ModfStruct FrexpStruct Determinant MatrixInverse Pack* Unpack* Length Distance Cross Normalize
            FaceForward Reflect Refract"""),
    ], "FMin UMin SMin FMax UMax SMax NMin NMax Fma Distance"),
    "OpenCL.std": (COMPUTES, [
        ("WRITES", """fract frexp lgamma_r modf remquo sincos vstoren vstore_half vstore_half_r vstore_halfn vstore_halfn_r
            vstorea_halfn vstorea_halfn_r"""),
        ("READS", "vloadn vload_half vload_halfn vloada_halfn"),
        ("READS EFFECT", "printf prefetch"),
        ("FOLDABLE", "cross distance length normalize fast_distance fast_length fast_normalize shuffle shuffle2"),
    ], """fmax fmin fmax_common fmin_common maxmag minmag hypot fma mad s_abs_diff u_abs_diff s_add_sat u_add_sat s_hadd u_hadd
        s_rhadd u_rhadd s_max u_max s_min u_min s_mul_hi u_mul_hi s_mul24 u_mul24 s_mad24 u_mad24 s_mad_hi u_mad_hi s_mad_sat
        u_mad_sat distance fast_distance"""),
    "NonSemantic.DebugPrintf": ("EFFECT", [], ""),
    "NonSemantic.DebugBreak": ("EFFECT", [], ""),
    "NonSemantic.ClspvReflection": ("DEBUG", [], ""),
    "NonSemantic.VkspReflection": ("DEBUG", [], ""),
    "NonSemantic.Graph.DebugInfo": ("DEBUG", [], ""),
    "NonSemantic.Shader.DebugInfo.100": ("DEBUG", [], ""),
    "NonSemantic.Shader.DebugInfo": ("DEBUG", [], ""),
    "OpenCL.DebugInfo.100": ("DEBUG", [], ""),
    "DebugInfo": ("DEBUG", [], ""),
    "SPV_AMD_gcn_shader": ("ELEMENTWISE", [("EFFECT UNIQUE", "TimeAMD"), ("", "CubeFace*")], ""),
    "SPV_AMD_shader_ballot": ("CONVERGENT", [], ""),
    "SPV_AMD_shader_explicit_vertex_parameter": ("READS", [], ""),
    "SPV_AMD_shader_trinary_minmax": (COMPUTES, [], ""),
    # Values of tensors: nothing but results.
    "Arm.MotionEngine.100": ("", [], ""),
    "Arm.ExperimentalMLOperations": ("", [], ""),
    "TOSA.001000.1": ("", [], ""),
}

# Extensions that bring no instruction and no enumerant, so that the grammar does not name them.
BARE_EXTENSIONS = ["SPV_EXT_relaxed_printf_string_address_space", "SPV_KHR_non_semantic_info"]

# Extensions that are not for all versions of SPIR-V: least minor version.
EXTENSION_SINCE = {"SPV_KHR_vulkan_memory_model": 3}


def select(patterns, names):
    """The names that patterns mean; each pattern must mean one."""
    for pattern in patterns.split():
        found = [n for n in names if n.startswith(pattern[:-1])] if pattern.endswith("*") else [pattern] * (pattern in names)
        if not found:
            raise SystemExit(f"traits.py: no instruction {pattern}")
        yield from found


def of_set(default, exceptions, commutative, names):
    traits = {n: bits(default) for n in names}
    for text, patterns in exceptions:
        for n in select(patterns, names):
            traits[n] = bits(text)
    for n in select(commutative, names):
        traits[n] |= BIT["COMMUTATIVE"]
    return traits


def of_core(classes):
    """Traits of the core's instructions: `classes` has the class of each name."""
    unknown = set(classes.values()) - set(CLASSES)
    if unknown:
        raise SystemExit(f"traits.py: nobody has decided what instructions of {sorted(unknown)} do")
    traits = {n: bits(CLASSES[c]) for n, c in classes.items()}
    seen = set()
    for text, patterns in EXCEPTIONS:
        for n in select(patterns, classes):
            if n in seen:
                raise SystemExit(f"traits.py: two rows for {n}")
            seen.add(n)
            traits[n] = bits(text)
    for n in select(COMMUTATIVE, classes):
        traits[n] |= BIT["COMMUTATIVE"]
    for n in select(ADDRESSES, classes):
        traits[n] |= BIT["ADDRESS"]
    return traits
