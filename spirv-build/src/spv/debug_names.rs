//! Names of the instructions of `NonSemantic.Shader.DebugInfo.100`, and of `OpenCL.DebugInfo.100`, which has the first 36.

/// Name of the set for shaders.
pub(super) const SHADER: &str = "NonSemantic.Shader.DebugInfo.100";

/// Name of the older set.
pub(super) const OPENCL: &str = "OpenCL.DebugInfo.100";

/// A row each: number, name, and which operands are literals in the older set (a bit each; elsewhere all are ids).
const ROWS: &[(u32, &str, u16)] = &[
    (0, "DebugInfoNone", 0x0),
    (1, "DebugCompilationUnit", 0xb),
    (2, "DebugTypeBasic", 0x4),
    (3, "DebugTypePointer", 0x6),
    (4, "DebugTypeQualifier", 0x2),
    (5, "DebugTypeArray", 0x0),
    (6, "DebugTypeVector", 0x2),
    (7, "DebugTypedef", 0x18),
    (8, "DebugTypeFunction", 0x1),
    (9, "DebugTypeEnum", 0x98),
    (10, "DebugTypeComposite", 0x11a),
    (11, "DebugTypeMember", 0x118),
    (12, "DebugTypeInheritance", 0x10),
    (13, "DebugTypePtrToMember", 0x0),
    (14, "DebugTypeTemplate", 0x0),
    (15, "DebugTypeTemplateParameter", 0x30),
    (16, "DebugTypeTemplateTemplateParameter", 0x18),
    (17, "DebugTypeTemplateParameterPack", 0xc),
    (18, "DebugGlobalVariable", 0x118),
    (19, "DebugFunctionDeclaration", 0x98),
    (20, "DebugFunction", 0x198),
    (21, "DebugLexicalBlock", 0x6),
    (22, "DebugLexicalBlockDiscriminator", 0x2),
    (23, "DebugScope", 0x0),
    (24, "DebugNoScope", 0x0),
    (25, "DebugInlinedAt", 0x1),
    (26, "DebugLocalVariable", 0xd8),
    (27, "DebugInlinedVariable", 0x0),
    (28, "DebugDeclare", 0x0),
    (29, "DebugValue", 0x0),
    (30, "DebugOperation", 0xffff),
    (31, "DebugExpression", 0x0),
    (32, "DebugMacroDef", 0x2),
    (33, "DebugMacroUndef", 0x2),
    (34, "DebugImportedEntity", 0x32),
    (35, "DebugSource", 0x0),
    (101, "DebugFunctionDefinition", 0x0),
    (102, "DebugSourceContinued", 0x0),
    (103, "DebugLine", 0x0),
    (104, "DebugNoLine", 0x0),
    (105, "DebugBuildIdentifier", 0x0),
    (106, "DebugStoragePath", 0x0),
    (107, "DebugEntryPoint", 0x0),
    (108, "DebugTypeMatrix", 0x0),
];

/// The name of an instruction.
pub(super) fn name(number: u32) -> Option<&'static str> {
    ROWS.iter().find(|r| r.0 == number).map(|r| r.1)
}

/// Whether an operand of an instruction of [`OPENCL`] is a literal.
pub(super) fn is_literal(number: u32, operand: usize) -> bool {
    // The last bit stands for all that follow.
    ROWS.iter().any(|r| r.0 == number && r.2 >> operand.min(15) & 1 != 0)
}
