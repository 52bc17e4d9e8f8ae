//! The arithmetic of `#if`.
use crate::hlsl::lex::{IntSuffix, Number, Token, TokenKind, number};
use crate::source::{Interner, Span};

/// How deeply parentheses and unary operators may nest.
const MAX_DEPTH: usize = 200;

/// Why a condition has no value.
pub(super) struct EvalError {
    /// Where; `None` for the end of the line.
    pub(super) span: Option<Span>,
    pub(super) message: String,
}

#[derive(Clone, Copy)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn truth(b: bool) -> Self {
        Self { bits: i64::from(b), unsigned: false }
    }
}

/// Whether the condition holds.
pub(super) fn evaluate(tokens: &[Token], names: &Interner) -> Result<bool, EvalError> {
    let mut e = Eval { tokens, names, at: 0, depth: 0 };
    let value = e.ternary(true)?;
    match e.tokens.get(e.at) {
        None => Ok(value.bits != 0),
        Some(t) => {
            let message = format!("unexpected `{}` in a preprocessor condition", t.spelling(names));
            Err(EvalError { span: Some(t.span), message })
        }
    }
}

struct Eval<'a> {
    tokens: &'a [Token],
    names: &'a Interner,
    at: usize,
    depth: usize,
}

impl Eval<'_> {
    fn error<T>(&self, message: impl Into<String>) -> Result<T, EvalError> {
        Err(EvalError { span: self.tokens.get(self.at).map(|t| t.span), message: message.into() })
    }

    fn peek(&self) -> Option<TokenKind> {
        self.tokens.get(self.at).map(|t| t.kind)
    }

    /// `live` is false in operands whose value is not needed; there division by zero is no error.
    fn ternary(&mut self, live: bool) -> Result<Value, EvalError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.error("preprocessor condition is nested too deeply");
        }
        let cond = self.binary(0, live)?;
        let mut value = cond;
        if self.peek() == Some(TokenKind::Question) {
            self.at += 1;
            let yes = cond.bits != 0;
            let a = self.ternary(live && yes)?;
            if self.peek() != Some(TokenKind::Colon) {
                return self.error("expected `:` in a preprocessor condition");
            }
            self.at += 1;
            let b = self.ternary(live && !yes)?;
            value = Value { bits: if yes { a.bits } else { b.bits }, unsigned: a.unsigned || b.unsigned };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, min: u8, live: bool) -> Result<Value, EvalError> {
        let mut left = self.unary(live)?;
        while let Some((op, level)) = self.peek().and_then(|k| Some((k, precedence(k)?))) {
            if level < min {
                break;
            }
            self.at += 1;
            let needed = match op {
                TokenKind::AndAnd => left.bits != 0,
                TokenKind::OrOr => left.bits == 0,
                _ => true,
            };
            let right = self.binary(level + 1, live && needed)?;
            left = match apply(op, left, right) {
                Some(value) => value,
                None if !live => Value { bits: 0, unsigned: false },
                None => return self.error("division by zero in a preprocessor condition"),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<Value, EvalError> {
        let Some(&token) = self.tokens.get(self.at) else {
            return self.error("preprocessor condition ends too early");
        };
        self.at += 1;
        match token.kind {
            TokenKind::Not | TokenKind::Minus | TokenKind::Plus | TokenKind::Tilde => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return self.error("preprocessor condition is nested too deeply");
                }
                let v = self.unary(live)?;
                self.depth -= 1;
                Ok(match token.kind {
                    TokenKind::Not => Value::truth(v.bits == 0),
                    TokenKind::Minus => Value { bits: v.bits.wrapping_neg(), ..v },
                    TokenKind::Tilde => Value { bits: !v.bits, ..v },
                    _ => v,
                })
            }
            TokenKind::LParen => {
                let v = self.ternary(live)?;
                if self.peek() != Some(TokenKind::RParen) {
                    return self.error("expected `)` in a preprocessor condition");
                }
                self.at += 1;
                Ok(v)
            }
            // Names that are left are 0, except `true`.
            TokenKind::Ident => Ok(Value::truth(self.names.name(token.text) == "true")),
            TokenKind::Number => match number(self.names.name(token.text)) {
                Ok(Number::Int(v, suffix)) => Ok(Value {
                    bits: v as i64,
                    unsigned: matches!(suffix, IntSuffix::U | IntSuffix::Ul) || v > i64::MAX as u64,
                }),
                _ => {
                    self.at -= 1;
                    self.error("expected an integer in a preprocessor condition")
                }
            },
            _ => {
                self.at -= 1;
                self.error(format!("unexpected `{}` in a preprocessor condition", token.spelling(self.names)))
            }
        }
    }
}

fn precedence(kind: TokenKind) -> Option<u8> {
    use TokenKind as T;
    Some(match kind {
        T::OrOr => 1,
        T::AndAnd => 2,
        T::Or => 3,
        T::Caret => 4,
        T::And => 5,
        T::EqEq | T::NotEq => 6,
        T::Less | T::LessEq | T::Greater | T::GreaterEq => 7,
        T::Shl | T::Shr => 8,
        T::Plus | T::Minus => 9,
        T::Star | T::Slash | T::Percent => 10,
        _ => return None,
    })
}

/// `None` for a division by zero.
fn apply(op: TokenKind, a: Value, b: Value) -> Option<Value> {
    use TokenKind as T;
    let unsigned = a.unsigned || b.unsigned;
    let (x, y) = (a.bits, b.bits);
    let (ux, uy) = (x as u64, y as u64);
    let order = if unsigned { ux.cmp(&uy) } else { x.cmp(&y) };
    let bits = match op {
        T::Plus => x.wrapping_add(y),
        T::Minus => x.wrapping_sub(y),
        T::Star => x.wrapping_mul(y),
        T::Slash | T::Percent if y == 0 => return None,
        T::Slash if unsigned => (ux / uy) as i64,
        T::Slash => x.wrapping_div(y),
        T::Percent if unsigned => (ux % uy) as i64,
        T::Percent => x.wrapping_rem(y),
        T::Shl => x.wrapping_shl(y as u32),
        T::Shr if a.unsigned => ux.wrapping_shr(y as u32) as i64,
        T::Shr => x.wrapping_shr(y as u32),
        T::And => x & y,
        T::Or => x | y,
        T::Caret => x ^ y,
        _ => {
            return Some(Value::truth(match op {
                T::OrOr => x != 0 || y != 0,
                T::AndAnd => x != 0 && y != 0,
                T::EqEq => order.is_eq(),
                T::NotEq => order.is_ne(),
                T::Less => order.is_lt(),
                T::LessEq => order.is_le(),
                T::Greater => order.is_gt(),
                _ => order.is_ge(),
            }));
        }
    };
    Some(Value { bits, unsigned })
}
