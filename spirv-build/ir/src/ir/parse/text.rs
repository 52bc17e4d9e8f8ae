//! The characters of a text: words, numbers, names, and where the reader stands.

use super::ParseError;
use std::borrow::Cow;

/// What reading a part comes to.
pub(super) type Read<T> = Result<T, ParseError>;

/// A text, read from left to right.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    text: &'a str,
    at: usize,
}

fn in_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.')
}

/// What a name is that is written so. Words have no escapes.
pub(super) fn unescaped(written: &str) -> Cow<'_, str> {
    if !written.contains('\\') {
        return Cow::Borrowed(written);
    }
    let quoted = format!("\"{written}\"");
    Text::new(&quoted).string().map_or(Cow::Borrowed(written), Cow::Owned)
}

impl<'a> Text<'a> {
    pub fn new(text: &'a str) -> Text<'a> {
        Text { text, at: 0 }
    }

    /// Where the next thing starts.
    pub fn here(&mut self) -> usize {
        self.skip();
        self.at
    }

    /// An error at a place.
    pub fn error_at(&self, at: usize, message: impl Into<String>) -> ParseError {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = 1 + before.bytes().filter(|b| *b == b'\n').count() as u32;
        let column = 1 + before.rsplit('\n').next().unwrap_or("").chars().count() as u32;
        ParseError { line, column, message: message.into() }
    }

    /// An error here, which tells what stands here.
    pub fn error(&mut self, message: impl Into<String>) -> ParseError {
        let at = self.here();
        let found: String = self.text[at..].chars().take_while(|c| *c != '\n').take(20).collect();
        let found = if found.is_empty() { "the end".to_string() } else { format!("`{found}`") };
        self.error_at(at, format!("{}, not {found}", message.into()))
    }

    /// Skips white space and comments. Tells whether a line ended.
    pub fn skip(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let mut line_ended = false;
        loop {
            match bytes.get(self.at) {
                Some(b'\n') => {
                    line_ended = true;
                    self.at += 1;
                }
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'/') => {
                    while bytes.get(self.at).is_some_and(|b| *b != b'\n') {
                        self.at += 1;
                    }
                }
                _ => return line_ended,
            }
        }
    }

    /// The next character.
    pub fn peek(&mut self) -> Option<u8> {
        self.skip();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes a sign, or a word that ends there.
    pub fn eat(&mut self, what: &str) -> bool {
        self.skip();
        let bytes = self.text.as_bytes();
        let word = what.bytes().last().is_some_and(in_word);
        let end = self.at + what.len();
        let found =
            self.text[self.at..].starts_with(what) && !(word && bytes.get(end).copied().is_some_and(in_word));
        if found {
            self.at = end;
        }
        found
    }

    /// Takes what a word starts with.
    pub fn eat_prefix(&mut self, what: &str) -> bool {
        self.skip();
        let found = self.text[self.at..].starts_with(what);
        self.at += if found { what.len() } else { 0 };
        found
    }

    pub fn expect(&mut self, what: &str) -> Read<()> {
        if self.eat(what) { Ok(()) } else { Err(self.error(format!("expected `{what}`"))) }
    }

    /// A word of letters, digits, `_`, `$` and `.`.
    pub fn word(&mut self) -> Read<&'a str> {
        self.skip();
        let rest = &self.text[self.at..];
        let len = rest.bytes().take_while(|b| in_word(*b)).count();
        if len == 0 {
            return Err(self.error("expected a name"));
        }
        self.at += len;
        Ok(&rest[..len])
    }

    /// A word, or what stands in quotation marks, after a sign that marks what it names. As it is written: [`unescaped`] is the name.
    pub fn name(&mut self, mark: &str) -> Read<&'a str> {
        self.expect(mark)?;
        if self.text.as_bytes().get(self.at) != Some(&b'"') {
            return self.word();
        }
        let start = self.at + 1;
        self.string()?;
        Ok(&self.text[start..self.at - 1])
    }

    /// An unsigned decimal or hexadecimal number. Unlike words it ends before a letter: `4xf32`.
    pub fn number(&mut self) -> Read<u64> {
        self.skip();
        let rest = &self.text[self.at..];
        let (digits, base) = match rest.strip_prefix("0x") {
            Some(hex) if hex.starts_with(|c: char| c.is_ascii_hexdigit()) => (hex, 16),
            _ => (rest, 10),
        };
        let len = digits.bytes().take_while(|b| char::from(*b).is_digit(base)).count();
        let Ok(n) = u64::from_str_radix(&digits[..len], base) else {
            return Err(self.error(if len == 0 { "expected a number" } else { "the number is too large" }));
        };
        self.at += rest.len() - digits.len() + len;
        Ok(n)
    }

    /// A number that fits a smaller type.
    pub fn small<T: TryFrom<u64>>(&mut self) -> Read<T> {
        let at = self.here();
        let n = self.number()?;
        T::try_from(n).map_err(|_| self.error_at(at, format!("{n} is too large here")))
    }

    /// What a constant is written as: a word that may have a sign in front, and in an exponent.
    pub fn literal(&mut self) -> Read<&'a str> {
        self.skip();
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        let mut len = usize::from(bytes.first() == Some(&b'-'));
        let number = bytes.get(len).is_some_and(u8::is_ascii_digit);
        while let Some(b) = bytes.get(len) {
            let exponent = number && !rest.starts_with("0x") && bytes[len - usize::from(len > 0)] == b'e';
            if !(in_word(*b) || exponent && matches!(b, b'-' | b'+')) {
                break;
            }
            len += 1;
        }
        if len == 0 || rest[..len] == *"-" {
            return Err(self.error("expected a value"));
        }
        self.at += len;
        Ok(&rest[..len])
    }

    /// A string in quotation marks, with Rust's escapes.
    pub fn string(&mut self) -> Read<String> {
        self.expect("\"")?;
        let start = self.at;
        let mut out = String::new();
        let mut chars = self.text[start..].char_indices();
        while let Some((i, c)) = chars.next() {
            let c = match c {
                '"' => {
                    self.at = start + i + 1;
                    return Ok(out);
                }
                '\\' => match chars.next().map(|c| c.1) {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('r') => '\r',
                    Some('0') => '\0',
                    Some(c @ ('"' | '\'' | '\\')) => c,
                    Some('u') => {
                        let mut digits = String::new();
                        for (_, c) in chars.by_ref().skip(1).take(7) {
                            if c == '}' {
                                break;
                            }
                            digits.push(c);
                        }
                        match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                            Some(c) => c,
                            None => return Err(self.error_at(start + i, "this escape names no character")),
                        }
                    }
                    _ => return Err(self.error_at(start + i, "this escape is not known")),
                },
                '\n' => break,
                c => c,
            };
            out.push(c);
        }
        Err(self.error_at(start, "the string is never closed"))
    }

    /// Items between signs, with commas.
    pub fn list<T>(
        &mut self,
        open: &str,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Read<T>,
    ) -> Read<Vec<T>> {
        self.expect(open)?;
        let mut out = Vec::new();
        if self.eat(close) {
            return Ok(out);
        }
        loop {
            out.push(item(self)?);
            if self.eat(close) {
                return Ok(out);
            }
            self.expect(",")?;
        }
    }
}
