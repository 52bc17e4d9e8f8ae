//! Names of the instructions of `NonSemantic.Shader.DebugInfo.100`.

/// Name of the set.
pub(super) const SET: &str = "NonSemantic.Shader.DebugInfo.100";

/// A row each: number, name.
const ROWS: &[(u32, &str)] = &[
    (0, "DebugInfoNone"),
    (1, "DebugCompilationUnit"),
    (2, "DebugTypeBasic"),
    (3, "DebugTypePointer"),
    (4, "DebugTypeQualifier"),
    (5, "DebugTypeArray"),
    (6, "DebugTypeVector"),
    (7, "DebugTypedef"),
    (8, "DebugTypeFunction"),
    (9, "DebugTypeEnum"),
    (10, "DebugTypeComposite"),
    (11, "DebugTypeMember"),
    (12, "DebugTypeInheritance"),
    (13, "DebugTypePtrToMember"),
    (14, "DebugTypeTemplate"),
    (15, "DebugTypeTemplateParameter"),
    (16, "DebugTypeTemplateTemplateParameter"),
    (17, "DebugTypeTemplateParameterPack"),
    (18, "DebugGlobalVariable"),
    (19, "DebugFunctionDeclaration"),
    (20, "DebugFunction"),
    (21, "DebugLexicalBlock"),
    (22, "DebugLexicalBlockDiscriminator"),
    (23, "DebugScope"),
    (24, "DebugNoScope"),
    (25, "DebugInlinedAt"),
    (26, "DebugLocalVariable"),
    (27, "DebugInlinedVariable"),
    (28, "DebugDeclare"),
    (29, "DebugValue"),
    (30, "DebugOperation"),
    (31, "DebugExpression"),
    (32, "DebugMacroDef"),
    (33, "DebugMacroUndef"),
    (34, "DebugImportedEntity"),
    (35, "DebugSource"),
    (101, "DebugFunctionDefinition"),
    (102, "DebugSourceContinued"),
    (103, "DebugLine"),
    (104, "DebugNoLine"),
    (105, "DebugBuildIdentifier"),
    (106, "DebugStoragePath"),
    (107, "DebugEntryPoint"),
    (108, "DebugTypeMatrix"),
];

/// The name of an instruction.
pub(super) fn name(number: u32) -> Option<&'static str> {
    ROWS.iter().find(|r| r.0 == number).map(|r| r.1)
}
