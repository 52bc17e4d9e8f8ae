//! Conversions and operators.

/// One conversion step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Conversion {
    /// Component by component to another scalar type, shape unchanged. To `bool`: compares with zero. From `bool`:
    /// 0 or 1. Float to integer truncates towards zero. Enumerations count as their scalar.
    Cast,
    /// A scalar into every component of a vector or matrix.
    Splat,
    /// A vector's first components, or a matrix's top left part, or the first component as a scalar.
    Truncate,
    /// Between a matrix and a vector (or matrix) of as many components, in row order.
    Reshape,
    /// A structure to its base: field 0, repeatedly.
    ToBase,
    /// The same 64 bits: between `uint64_t` and pointers.
    Pointer,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-`.
    Neg,
    /// `~`.
    BitNot,
    /// `!` of `bool` components.
    Not,
}

/// Operators with two operands. Signedness and kind follow from the operands' component type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`, component by component (matrices as well).
    Mul,
    /// `/`.
    Div,
    /// `%`: the sign follows the dividend, for floats too.
    Rem,
    /// `&`; of `bool`s: both.
    BitAnd,
    /// `|`; of `bool`s: either.
    BitOr,
    /// `^`; of `bool`s: not equal.
    BitXor,
    /// `<<`; the amount is taken modulo the width.
    Shl,
    /// `>>`; arithmetic for signed types; the amount is taken modulo the width.
    Shr,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
}

impl BinaryOp {
    /// Whether the result is `bool`.
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Lt | Self::Le | Self::Gt | Self::Ge | Self::Eq | Self::Ne)
    }

    /// As written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Eq => "==",
            Self::Ne => "!=",
        }
    }
}
