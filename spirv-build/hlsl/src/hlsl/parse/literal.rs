//! Numbers and characters.
use super::*;
use crate::hlsl::lex::{self, IntSuffix, Number, NumberError};

impl Parser<'_> {
    pub(super) fn number(&mut self, token: Token) -> ExprId {
        match lex::number(self.names.name(token.text)) {
            Ok(value) => self.push(ExprKind::Number(value), token.span),
            Err(e) => {
                let text = self.text(token.text).to_string();
                match e {
                    NumberError::Malformed => {
                        let d = self.diags.report(
                            Code::BadNumber,
                            token.span,
                            format!("`{text}` is not a number"),
                        );
                        if let Some(whole) = text.strip_suffix(['f', 'F', 'h', 'H'])
                            && whole.bytes().all(|b| b.is_ascii_digit())
                        {
                            let suffix = &text[whole.len()..];
                            d.help(format!("an integer has no such suffix: write `{whole}.0{suffix}`"));
                        }
                        d
                    }
                    NumberError::TooLarge => self.diags.report(
                        Code::NumberTooLarge,
                        token.span,
                        format!("`{text}` does not fit its type"),
                    ),
                };
                self.error_expr(token.span)
            }
        }
    }

    /// A character: a `uint`.
    pub(super) fn character(&mut self, token: Token) -> ExprId {
        let shown = self.text(token.text).to_string();
        let inner = shown.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')).unwrap_or(&shown);
        match character(inner) {
            Ok((code, known)) => {
                if !known {
                    self.diags
                        .report(Code::UnknownEscape, token.span, format!("{shown} is no known character"))
                        .label("the backslash is ignored")
                        .help("write the character alone");
                }
                // It is a signed byte before it is a `uint`.
                let number = Number::Int(u64::from(code as i8 as u32), IntSuffix::U);
                self.push(ExprKind::Number(number), token.span)
            }
            Err(what) => {
                self.diags
                    .report(Code::BadNumber, token.span, format!("{shown} is {what}"))
                    .label("a character stands for its number")
                    .help("write one character, or `\\n` and its like; a text has double quotes");
                self.error_expr(token.span)
            }
        }
    }
}

/// The number that a character stands for, and whether its escape means anything; else what it is.
fn character(text: &str) -> Result<(u8, bool), &'static str> {
    let (escape, rest) = match text.as_bytes() {
        &[c] if c.is_ascii() && c != b'\\' => return Ok((c, true)),
        [b'\\', escape, rest @ ..] => (*escape, rest),
        _ => return Err("not one character"),
    };
    let digits = |text: &str, radix, none| match u32::from_str_radix(text, radix).map(u8::try_from) {
        Ok(Ok(code)) => Ok((code, true)),
        Ok(Err(_)) => Err("more than a byte"),
        Err(e) if *e.kind() == std::num::IntErrorKind::PosOverflow => Err("more than a byte"),
        Err(_) => Err(none),
    };
    let digits = |text: &str, radix, none| match text.starts_with('+') {
        true => Err(none),
        false => digits(text, radix, none),
    };
    match (escape, rest) {
        (b'x', _) => digits(&text[2..], 16, "no hexadecimal number"),
        (b'0'..=b'7', _) if rest.len() < 3 => digits(&text[1..], 8, "not one character"),
        (b'n', []) => Ok((b'\n', true)),
        (b't', []) => Ok((b'\t', true)),
        (b'r', []) => Ok((b'\r', true)),
        (b'a', []) => Ok((7, true)),
        (b'b', []) => Ok((8, true)),
        (b'v', []) => Ok((11, true)),
        (b'f', []) => Ok((12, true)),
        (b'e' | b'E', []) => Ok((27, true)),
        (b'\\' | b'\'' | b'"' | b'?', []) => Ok((escape, true)),
        (c, []) if c.is_ascii() => Ok((c, false)),
        _ => Err("not one character"),
    }
}
