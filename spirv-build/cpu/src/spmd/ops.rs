//! The table of scalar operations: what the prelude of an instruction set provides, and which SPIR-V operations
//! they are.

use crate::ir::{ExtSet, GlslOp, Op, Opcode};
use crate::spmd::Kind;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// An operation of the prelude.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// Name in the prelude: `n_name` on native vectors.
    pub name: &'static str,
    /// Kinds of the operands, `F`, `I`, `B`, `L` or `D`, and after the colon of the result.
    pub signature: &'static str,
    /// Whether the prelude has a scalar form `s_name`; others are computed on a splat.
    pub scalar: bool,
}

impl Row {
    /// Number of operands.
    pub fn arity(&self) -> usize {
        self.signature.len() - 2
    }

    /// Kind of an operand.
    pub fn arg(&self, index: usize) -> Kind {
        kind(self.signature.as_bytes()[index])
    }

    /// Whether an operand or the result has 64 bits.
    pub fn is_wide(&self) -> bool {
        self.signature.bytes().any(|b| b == b'L' || b == b'D')
    }

    /// Kind of the result.
    pub fn result(&self) -> Kind {
        kind(self.signature.as_bytes()[self.signature.len() - 1])
    }
}

fn kind(letter: u8) -> Kind {
    match letter {
        b'F' => Kind::Float,
        b'I' => Kind::Int,
        b'L' => Kind::Long,
        b'D' => Kind::Double,
        _ => Kind::Bool,
    }
}

macro_rules! rows {
    ($($name:literal $signature:literal $scalar:literal;)*) => {
        /// All operations.
        pub const ROWS: &[Row] = &[$(Row { name: $name, signature: $signature, scalar: $scalar }),*];
    };
}

rows! {
    "fadd" "FF:F" true; "fsub" "FF:F" true; "fmul" "FF:F" true; "fdiv" "FF:F" true; "fneg" "F:F" true;
    "fma" "FFF:F" true; "fnma" "FFF:F" true; "fms" "FFF:F" true;
    "fabs" "F:F" true; "fmin" "FF:F" true; "fmax" "FF:F" true;
    "ffloor" "F:F" false; "fceil" "F:F" false; "ftrunc" "F:F" false; "frint" "F:F" false; "fsqrt" "F:F" false;
    "frsqrt" "F:F" false; "fexp2" "F:F" false; "flog2" "F:F" false; "fsin" "F:F" false; "fcos" "F:F" false;
    "ftan" "F:F" false; "fasin" "F:F" false; "facos" "F:F" false; "fatan" "F:F" false; "fatan2" "FF:F" false;
    "fsinh" "F:F" false; "fcosh" "F:F" false; "ftanh" "F:F" false; "fpow" "FF:F" false; "fexp" "F:F" false;
    "flog" "F:F" false; "fasinh" "F:F" false; "facosh" "F:F" false; "fatanh" "F:F" false;
    "frem" "FF:F" false; "fmod" "FF:F" false; "fsign" "F:F" false; "ffract" "F:F" false; "fldexp" "FI:F" false;
    "feq" "FF:B" true; "fne" "FF:B" true; "flt" "FF:B" true; "fle" "FF:B" true;
    "isnan" "F:B" true; "isinf" "F:B" true;
    "iadd" "II:I" true; "isub" "II:I" true; "imul" "II:I" true; "ineg" "I:I" true; "iabs" "I:I" true;
    "sdiv" "II:I" true; "udiv" "II:I" true; "srem" "II:I" true; "urem" "II:I" true; "smod" "II:I" true;
    "smin" "II:I" true; "smax" "II:I" true; "umin" "II:I" true; "umax" "II:I" true; "ssign" "I:I" true;
    "iand" "II:I" true; "ior" "II:I" true; "ixor" "II:I" true; "inot" "I:I" true;
    "shl" "II:I" true; "shr" "II:I" true; "sar" "II:I" true;
    "ieq" "II:B" true; "ine" "II:B" true; "slt" "II:B" true; "sle" "II:B" true; "ult" "II:B" true; "ule" "II:B" true;
    "popcount" "I:I" true; "bitrev" "I:I" true; "findlsb" "I:I" true; "findsmsb" "I:I" true; "findumsb" "I:I" true;
    "sextract" "III:I" true; "uextract" "III:I" true; "bitinsert" "IIII:I" true;
    "f2i" "F:I" true; "f2u" "F:I" true; "i2f" "I:F" true; "u2f" "I:F" true; "fbits" "F:I" true; "ffrom" "I:F" true;
    "f2h" "F:I" false; "h2f" "I:F" false;
    "umulhi" "II:I" true; "smulhi" "II:I" true; "uaddc" "II:I" true; "usubb" "II:I" true;
    "band" "BB:B" true; "bor" "BB:B" true; "bxor" "BB:B" true; "bnot" "B:B" true;
    "fsel" "BFF:F" true; "isel" "BII:I" true; "bsel" "BBB:B" true;

    // 64-bit forms: the name of the 32-bit one with `l` or `d` before it.
    "liadd" "LL:L" true; "lisub" "LL:L" true; "limul" "LL:L" true; "lineg" "L:L" true; "liabs" "L:L" true;
    "lsdiv" "LL:L" true; "ludiv" "LL:L" true; "lsrem" "LL:L" true; "lurem" "LL:L" true; "lsmod" "LL:L" true;
    "lsmin" "LL:L" true; "lsmax" "LL:L" true; "lumin" "LL:L" true; "lumax" "LL:L" true; "lssign" "L:L" true;
    "liand" "LL:L" true; "lior" "LL:L" true; "lixor" "LL:L" true; "linot" "L:L" true;
    "lshl" "LI:L" true; "lshr" "LI:L" true; "lsar" "LI:L" true;
    "lieq" "LL:B" true; "line" "LL:B" true; "lslt" "LL:B" true; "lsle" "LL:B" true; "lult" "LL:B" true; "lule" "LL:B" true;
    "lpopcount" "L:L" true; "lbitrev" "L:L" true; "lfindlsb" "L:L" true; "lfindsmsb" "L:L" true; "lfindumsb" "L:L" true;
    "lsextract" "LII:L" true; "luextract" "LII:L" true; "lbitinsert" "LLII:L" true;
    "lumulhi" "LL:L" true; "lsmulhi" "LL:L" true; "luaddc" "LL:L" true; "lusubb" "LL:L" true;
    "lisel" "BLL:L" true;
    "dfadd" "DD:D" true; "dfsub" "DD:D" true; "dfmul" "DD:D" true; "dfdiv" "DD:D" true; "dfneg" "D:D" true;
    "dfma" "DDD:D" true; "dfnma" "DDD:D" true; "dfms" "DDD:D" true;
    "dfabs" "D:D" true; "dfmin" "DD:D" true; "dfmax" "DD:D" true;
    "dffloor" "D:D" true; "dfceil" "D:D" true; "dftrunc" "D:D" true; "dfrint" "D:D" true; "dfsqrt" "D:D" true;
    "dfrsqrt" "D:D" true; "dfrem" "DD:D" true; "dfmod" "DD:D" true; "dfsign" "D:D" true; "dffract" "D:D" true;
    "dfldexp" "DI:D" true;
    "dfeq" "DD:B" true; "dfne" "DD:B" true; "dflt" "DD:B" true; "dfle" "DD:B" true;
    "disnan" "D:B" true; "disinf" "D:B" true;
    "dfsel" "BDD:D" true;
    // Between widths.
    "lzext" "I:L" true; "lsext" "I:L" true; "llo" "L:I" true; "lhi" "L:I" true; "lmake" "II:L" true;
    "dbits" "D:L" true; "dfrom" "L:D" true; "d2f" "D:F" true; "f2d" "F:D" true;
    "i2d" "I:D" true; "u2d" "I:D" true; "l2d" "L:D" true; "ul2d" "L:D" true; "l2f" "L:F" true; "ul2f" "L:F" true;
    "d2i" "D:I" true; "d2u" "D:I" true; "d2l" "D:L" true; "d2ul" "D:L" true; "f2l" "F:L" true; "f2ul" "F:L" true;
}

/// Rows by name.
static BY_NAME: LazyLock<FxHashMap<&str, &Row>> =
    LazyLock::new(|| ROWS.iter().map(|r| (r.name, r)).collect());

/// The operation of this name, if there is one.
pub fn find(name: &str) -> Option<&'static Row> {
    BY_NAME.get(name).copied()
}

/// The operation of this name.
///
/// # Panics
/// There is none: names are string literals in this crate, and a test looks every one of them up.
pub fn row(name: &str) -> &'static Row {
    find(name).unwrap_or_else(|| panic!("no row {name}"))
}

/// How a component-wise SPIR-V operation is made of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Map {
    /// The row, operands in order.
    Row(&'static str),
    /// The row with two operands swapped.
    Swap(&'static str),
    /// The row, result inverted.
    Not(&'static str),
    /// The row with two operands swapped, result inverted.
    SwapNot(&'static str),
    /// The operand itself.
    Copy,
}

/// Component-wise operations that are one row.
pub fn map(op: Opcode) -> Option<Map> {
    use Map::{Copy, Not, Row, Swap, SwapNot};
    Some(match op {
        Opcode::Op(op) => match op {
            Op::FAdd => Row("fadd"),
            Op::FSub => Row("fsub"),
            Op::FMul => Row("fmul"),
            Op::FDiv => Row("fdiv"),
            Op::FRem => Row("frem"),
            Op::FMod => Row("fmod"),
            Op::FNegate => Row("fneg"),
            Op::IAdd => Row("iadd"),
            Op::ISub => Row("isub"),
            Op::IMul => Row("imul"),
            Op::SDiv => Row("sdiv"),
            Op::UDiv => Row("udiv"),
            Op::SRem => Row("srem"),
            Op::SMod => Row("smod"),
            Op::UMod => Row("urem"),
            Op::SNegate => Row("ineg"),
            Op::Not => Row("inot"),
            Op::BitwiseAnd => Row("iand"),
            Op::BitwiseOr => Row("ior"),
            Op::BitwiseXor => Row("ixor"),
            Op::ShiftLeftLogical => Row("shl"),
            Op::ShiftRightLogical => Row("shr"),
            Op::ShiftRightArithmetic => Row("sar"),
            Op::BitCount => Row("popcount"),
            Op::BitReverse => Row("bitrev"),
            Op::BitFieldInsert => Row("bitinsert"),
            Op::BitFieldSExtract => Row("sextract"),
            Op::BitFieldUExtract => Row("uextract"),
            Op::IEqual => Row("ieq"),
            Op::INotEqual => Row("ine"),
            Op::SLessThan => Row("slt"),
            Op::SLessThanEqual => Row("sle"),
            Op::SGreaterThan => Swap("slt"),
            Op::SGreaterThanEqual => Swap("sle"),
            Op::ULessThan => Row("ult"),
            Op::ULessThanEqual => Row("ule"),
            Op::UGreaterThan => Swap("ult"),
            Op::UGreaterThanEqual => Swap("ule"),
            Op::FOrdEqual => Row("feq"),
            Op::FUnordNotEqual => Row("fne"),
            Op::FOrdLessThan => Row("flt"),
            Op::FOrdLessThanEqual => Row("fle"),
            Op::FOrdGreaterThan => Swap("flt"),
            Op::FOrdGreaterThanEqual => Swap("fle"),
            Op::FUnordLessThan => SwapNot("fle"),
            Op::FUnordLessThanEqual => SwapNot("flt"),
            Op::FUnordGreaterThan => Not("fle"),
            Op::FUnordGreaterThanEqual => Not("flt"),
            Op::IsNan => Row("isnan"),
            Op::IsInf => Row("isinf"),
            Op::LogicalAnd => Row("band"),
            Op::LogicalOr => Row("bor"),
            Op::LogicalNot => Row("bnot"),
            Op::LogicalNotEqual => Row("bxor"),
            Op::LogicalEqual => Not("bxor"),
            Op::ConvertFToS => Row("f2i"),
            Op::ConvertFToU => Row("f2u"),
            Op::ConvertSToF => Row("i2f"),
            Op::ConvertUToF => Row("u2f"),
            Op::CopyObject | Op::CopyLogical => Copy,
            _ => return None,
        },
        Opcode::Ext(ExtSet::Glsl, number) => match GlslOp::from_u32(number)? {
            GlslOp::RoundEven | GlslOp::Round => Row("frint"),
            GlslOp::Trunc => Row("ftrunc"),
            GlslOp::FAbs => Row("fabs"),
            GlslOp::SAbs => Row("iabs"),
            GlslOp::FSign => Row("fsign"),
            GlslOp::SSign => Row("ssign"),
            GlslOp::Floor => Row("ffloor"),
            GlslOp::Ceil => Row("fceil"),
            GlslOp::Fract => Row("ffract"),
            GlslOp::Sin => Row("fsin"),
            GlslOp::Cos => Row("fcos"),
            GlslOp::Tan => Row("ftan"),
            GlslOp::Asin => Row("fasin"),
            GlslOp::Acos => Row("facos"),
            GlslOp::Atan => Row("fatan"),
            GlslOp::Sinh => Row("fsinh"),
            GlslOp::Cosh => Row("fcosh"),
            GlslOp::Tanh => Row("ftanh"),
            GlslOp::Asinh => Row("fasinh"),
            GlslOp::Acosh => Row("facosh"),
            GlslOp::Atanh => Row("fatanh"),
            GlslOp::Atan2 => Row("fatan2"),
            GlslOp::Pow => Row("fpow"),
            GlslOp::Exp => Row("fexp"),
            GlslOp::Log => Row("flog"),
            GlslOp::Exp2 => Row("fexp2"),
            GlslOp::Log2 => Row("flog2"),
            GlslOp::Sqrt => Row("fsqrt"),
            GlslOp::InverseSqrt => Row("frsqrt"),
            GlslOp::FMin | GlslOp::NMin => Row("fmin"),
            GlslOp::FMax | GlslOp::NMax => Row("fmax"),
            GlslOp::UMin => Row("umin"),
            GlslOp::SMin => Row("smin"),
            GlslOp::UMax => Row("umax"),
            GlslOp::SMax => Row("smax"),
            GlslOp::Fma => Row("fma"),
            GlslOp::Ldexp => Row("fldexp"),
            GlslOp::FindILsb => Row("findlsb"),
            GlslOp::FindSMsb => Row("findsmsb"),
            GlslOp::FindUMsb => Row("findumsb"),
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_well_formed_and_names_unique() {
        for (i, r) in ROWS.iter().enumerate() {
            assert!(r.signature.bytes().all(|b| b"FIBLD:".contains(&b)), "{}", r.name);
            assert_eq!(r.signature.as_bytes()[r.arity()], b':', "{}", r.name);
            assert!(ROWS[i + 1..].iter().all(|o| o.name != r.name), "{}", r.name);
        }
    }

    #[test]
    fn every_mapped_operation_has_a_row() {
        use spirv_spec::Traits;
        let core = (0..1000).map(Op).map(Opcode::Op);
        let ext = (0..100).map(|n| Opcode::Ext(ExtSet::Glsl, n));
        let mut mapped = 0;
        for op in core.chain(ext) {
            if let Some(Map::Row(n) | Map::Swap(n) | Map::Not(n) | Map::SwapNot(n)) = map(op) {
                assert_eq!(row(n).name, n);
                assert!(op.traits().has(Traits::ELEMENTWISE | Traits::FOLDABLE), "{op:?}");
                mapped += 1;
            }
        }
        assert!(mapped > 90, "{mapped}");
    }
}
