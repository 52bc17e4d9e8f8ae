//! Characters to tokens.
//!
//! The lexer reports nothing itself: what is wrong becomes a [`TokenKind::Bad`] token, so that text in a skipped `#if` group
//! may be anything. The preprocessor reports the bad tokens that are left.
use super::words;
use crate::source::{FileId, Interner, Span, Symbol};
use smallvec::SmallVec;

macro_rules! tokens {
    ($($name:ident $text:literal)*) => {
        /// Kinds of tokens.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)] // Punctuation is named after its text in the table.
        pub enum TokenKind {
            /// Name or keyword.
            Ident,
            /// Any number, as written.
            Number,
            /// String, as written.
            Str,
            /// Character literal, as written.
            Char,
            /// Not a token.
            Bad(BadToken),
            /// The end.
            Eof,
            $($name,)*
        }

        impl TokenKind {
            /// The text of punctuation.
            pub fn punctuation(self) -> Option<&'static str> {
                match self { $(Self::$name => Some($text),)* _ => None }
            }
        }

        /// Punctuation; longer texts stand before their prefixes.
        const PUNCTUATION: &[(&str, TokenKind)] = &[$(($text, TokenKind::$name),)*];
    };
}

tokens! {
    ShlEq "<<=" ShrEq ">>=" Ellipsis "..."
    HashHash "##" Shl "<<" Shr ">>" LessEq "<=" GreaterEq ">=" EqEq "==" NotEq "!=" PlusPlus "++" PlusEq "+=" MinusMinus "--"
    MinusEq "-=" Arrow "->" StarEq "*=" SlashEq "/=" PercentEq "%=" AndAnd "&&" AndEq "&=" OrOr "||" OrEq "|=" CaretEq "^="
    ColonColon "::"
    LParen "(" RParen ")" LBracket "[" RBracket "]" LBrace "{" RBrace "}" Less "<" Greater ">" Eq "=" Plus "+" Minus "-"
    Star "*" Slash "/" Percent "%" And "&" Or "|" Caret "^" Not "!" Tilde "~" Question "?" Colon ":" Semicolon ";" Comma ","
    Dot "." Hash "#"
}

/// No place in the table of punctuation.
const NONE: u8 = PUNCTUATION.len() as u8;

/// By its first byte: the first punctuation in the table, and by place in the table the next one with the same first byte.
static PLACES: ([u8; 256], [u8; PUNCTUATION.len()]) = {
    let (mut first, mut next) = ([NONE; 256], [NONE; PUNCTUATION.len()]);
    let mut i = PUNCTUATION.len();
    while i > 0 {
        i -= 1;
        let byte = PUNCTUATION[i].0.as_bytes()[0] as usize;
        next[i] = first[byte];
        first[byte] = i as u8;
    }
    (first, next)
};

/// Bytes of names.
static IN_NAMES: [bool; 256] = {
    let mut list = [false; 256];
    let mut i = 0;
    while i < 256 {
        list[i] = (i as u8).is_ascii_alphanumeric() || i as u8 == b'_';
        i += 1;
    }
    list
};

/// Why something is not a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BadToken {
    /// A character that starts nothing.
    Character,
    /// A comment without end.
    Comment,
    /// A string or character without end.
    String,
    /// Stands for something whose mistake was reported: nobody complains about it again.
    Reported,
}

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Kind.
    pub kind: TokenKind,
    /// Whether it is the first on its line.
    pub first_on_line: bool,
    /// Whether white space stands before it.
    pub space_before: bool,
    /// Set by the preprocessor on names that must not be expanded any more.
    pub no_expand: bool,
    /// The text of names and literals.
    pub text: Symbol,
    /// Where it is spelled.
    pub span: Span,
}

impl Token {
    /// The token as written.
    pub fn spelling<'a>(&self, names: &'a Interner) -> &'a str {
        self.kind.punctuation().unwrap_or_else(|| names.name(self.text))
    }
}

/// The tokens of a file, at most so many, without an end token. The names are those of an interner that knows the [`words`].
pub fn lex(file: FileId, text: &str, names: &mut Interner, most: usize) -> Vec<Token> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0 };
    // A byte order mark is not part of the program.
    if text.starts_with('\u{feff}') {
        lexer.at = 3;
    }
    let mut tokens = Vec::with_capacity((text.len() / 4).min(most));
    let mut first_on_line = true;
    const NOTHING: Symbol = words::symbol("");
    loop {
        let space = lexer.skip_space();
        first_on_line |= space.newline;
        let start = lexer.at;
        if let Some(at) = space.unterminated {
            tokens.push(Token {
                kind: TokenKind::Bad(BadToken::Comment),
                first_on_line,
                space_before: true,
                no_expand: false,
                text: NOTHING,
                span: Span::new(file, at as u32, at as u32 + 2),
            });
        }
        if start >= lexer.bytes.len() || tokens.len() >= most {
            return tokens;
        }
        let kind = lexer.token();
        let text = match kind {
            TokenKind::Ident | TokenKind::Number | TokenKind::Str | TokenKind::Char | TokenKind::Bad(_) => {
                lexer.text_of(start, names)
            }
            _ => NOTHING,
        };
        tokens.push(Token {
            kind,
            first_on_line,
            space_before: space.any,
            no_expand: false,
            text,
            span: Span::new(file, start as u32, lexer.at as u32),
        });
        first_on_line = false;
    }
}

struct Space {
    any: bool,
    newline: bool,
    unterminated: Option<usize>,
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn text_of(&self, start: usize, names: &mut Interner) -> Symbol {
        names.intern(self.text.get(start..self.at).unwrap_or(""))
    }

    /// Bytes of a backslash-newline at `ahead`, else 0.
    fn splice(&self, ahead: usize) -> usize {
        match (self.peek(ahead), self.peek(ahead + 1), self.peek(ahead + 2)) {
            (b'\\', b'\n', _) => 2,
            (b'\\', b'\r', b'\n') => 3,
            _ => 0,
        }
    }

    fn skip_space(&mut self) -> Space {
        let mut space = Space { any: false, newline: false, unterminated: None };
        loop {
            match self.peek(0) {
                b'\n' => {
                    space.newline = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    let rest = &self.bytes[self.at..];
                    self.at +=
                        rest.iter().position(|b| !matches!(b, b' ' | b'\t')).unwrap_or(rest.len()).max(1);
                }
                b'\\' if self.splice(0) > 0 => self.at += self.splice(0),
                b'/' if self.peek(1) == b'/' => loop {
                    let rest = &self.text[self.at..];
                    let Some(end) = rest.find('\n') else {
                        self.at = self.bytes.len();
                        break;
                    };
                    self.at += end;
                    // A backslash before the end of the line carries the comment on into the next one.
                    let line = &rest[..end];
                    if !line.strip_suffix('\r').unwrap_or(line).ends_with('\\') {
                        break;
                    }
                    self.at += 1;
                },
                b'/' if self.peek(1) == b'*' => match self.text[self.at + 2..].find("*/") {
                    Some(len) => self.at += len + 4,
                    None => {
                        space.unterminated = Some(self.at);
                        self.at = self.bytes.len();
                    }
                },
                _ => return space,
            }
            space.any = true;
        }
    }

    fn token(&mut self) -> TokenKind {
        let b = self.peek(0);
        if b.is_ascii_alphabetic() || b == b'_' {
            let rest = &self.bytes[self.at..];
            self.at += rest.iter().position(|b| !IN_NAMES[usize::from(*b)]).unwrap_or(rest.len());
            return TokenKind::Ident;
        }
        if b.is_ascii_digit() || (b == b'.' && self.peek(1).is_ascii_digit()) {
            self.number();
            return TokenKind::Number;
        }
        if b == b'"' || b == b'\'' {
            return self.quoted(b);
        }
        let mut place = PLACES.0[usize::from(b)];
        while let Some((text, kind)) = PUNCTUATION.get(usize::from(place)) {
            let matches = match *text.as_bytes() {
                [_] => true,
                [_, second] => self.peek(1) == second,
                _ => self.bytes[self.at..].starts_with(text.as_bytes()),
            };
            if matches {
                self.at += text.len();
                return *kind;
            }
            place = PLACES.1[usize::from(place)];
        }
        let len = self.text[self.at..].chars().next().map_or(1, char::len_utf8);
        self.at += len;
        TokenKind::Bad(BadToken::Character)
    }

    fn quoted(&mut self, quote: u8) -> TokenKind {
        self.at += 1;
        loop {
            match self.peek(0) {
                b'\n' | 0 => return TokenKind::Bad(BadToken::String),
                b'\\' if self.at + 1 < self.bytes.len() => {
                    self.at += 1;
                    // The escaped character may be longer than a byte.
                    self.at += self.text[self.at..].chars().next().map_or(1, char::len_utf8);
                }
                b => {
                    self.at += 1;
                    if b == quote {
                        return if quote == b'"' { TokenKind::Str } else { TokenKind::Char };
                    }
                }
            }
        }
    }

    /// Digits, letters and points as long as they can belong to the number. `1.xxx` is a number and a swizzle.
    fn number(&mut self) {
        let hex = self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X');
        let mut point = false;
        loop {
            match self.peek(0) {
                b'.' if !point && !hex && !is_swizzle(self.peek(1)) => {
                    point = true;
                    self.at += 1;
                    for special in ["#INF", "#IND", "#QNAN", "#SNAN"] {
                        if self.bytes[self.at..].starts_with(special.as_bytes()) {
                            self.at += special.len();
                        }
                    }
                }
                b'.' if !point && hex && self.is_hex_fraction() => {
                    point = true;
                    self.at += 1;
                }
                // Also of `0x1e+1`, as in C: it is one token, and no number.
                b'e' | b'E' if matches!(self.peek(1), b'+' | b'-') => self.at += 2,
                b'p' | b'P' if hex && matches!(self.peek(1), b'+' | b'-') => self.at += 2,
                b if b.is_ascii_alphanumeric() || b == b'_' => self.at += 1,
                _ => return,
            }
        }
    }

    /// Whether the point here is one of `0x1.8p3`. Without an exponent it starts a swizzle, whose letters may be digits.
    fn is_hex_fraction(&self) -> bool {
        let text = &self.bytes[self.at + 1..];
        let digits = text.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let sign = usize::from(matches!(text.get(digits + 1), Some(b'+' | b'-')));
        text.get(digits).is_some_and(|b| matches!(b, b'p' | b'P'))
            && text.get(digits + 1 + sign).is_some_and(u8::is_ascii_digit)
    }
}

/// Letters that start a swizzle and no suffix of a number.
fn is_swizzle(b: u8) -> bool {
    matches!(b, b'x' | b'y' | b'z' | b'w' | b'r' | b'g' | b'b' | b'a')
}

/// The value of a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// Value and suffix.
    Int(u64, IntSuffix),
    /// Value and suffix.
    Float(f64, FloatSuffix),
}

/// Suffix of an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntSuffix {
    /// None: the use decides.
    None,
    /// None, and not written in decimal: the highest bit is no sign.
    Bits,
    /// `l`: 32 bits, as a `long` of C on Windows has.
    Int,
    /// `u` or `ul`.
    U,
    /// `ll`: 64 bits.
    L,
    /// `ull`: 64 bits.
    Ul,
}

/// Suffix of a floating-point number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatSuffix {
    /// None: the use decides.
    None,
    /// `f` or `f32`.
    F,
    /// `h`.
    H,
    /// `f16`.
    F16,
    /// `l`, `lf` or `f64`: double.
    L,
}

/// Why a number has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberError {
    /// Not a number.
    Malformed,
    /// More than 64 bits.
    TooLarge,
}

/// The value of a number as written.
pub fn number(text: &str) -> Result<Number, NumberError> {
    // Most are as short as this.
    if matches!(text.as_bytes(), [b'0'] | [b'1'..=b'9', ..])
        && text.len() < 10
        && let Ok(value) = text.parse()
    {
        return Ok(Number::Int(value, IntSuffix::None));
    }
    let mut lower: SmallVec<[u8; 32]> = SmallVec::from_slice(text.as_bytes());
    lower.make_ascii_lowercase();
    let lower = std::str::from_utf8(&lower).map_err(|_| NumberError::Malformed)?;
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        _ => (10, lower),
    };
    match radix {
        10 if lower.contains(['.', 'e']) => return float(lower),
        16 if lower.contains('p') => return hex_float(digits),
        _ => {}
    }
    // The two letters of `ll` are the same.
    if text.contains("lL") || text.contains("Ll") {
        return Err(NumberError::Malformed);
    }
    let (digits, suffix) =
        [("ull", IntSuffix::Ul), ("llu", IntSuffix::Ul), ("ul", IntSuffix::U), ("lu", IntSuffix::U)]
            .into_iter()
            .chain([("ll", IntSuffix::L), ("l", IntSuffix::Int), ("u", IntSuffix::U)])
            .find_map(|(s, kind)| digits.strip_suffix(s).map(|d| (d, kind)))
            .unwrap_or((digits, IntSuffix::None));
    let radix = if radix == 10 && digits.len() > 1 && digits.starts_with('0') { 8 } else { radix };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(NumberError::Malformed);
    }
    let value = u64::from_str_radix(digits, radix).map_err(|_| NumberError::TooLarge)?;
    let most = match suffix {
        IntSuffix::Int if radix == 10 => i32::MAX as u64,
        IntSuffix::Int => u64::from(u32::MAX),
        _ => u64::MAX,
    };
    let suffix = match suffix {
        IntSuffix::None if radix != 10 => IntSuffix::Bits,
        IntSuffix::Int if value > most => IntSuffix::Int,
        IntSuffix::Int if value > i32::MAX as u64 => IntSuffix::U,
        suffix => suffix,
    };
    Ok(Number::Int(value, suffix))
}

fn float(lower: &str) -> Result<Number, NumberError> {
    if let Some(i) = lower.find(".#") {
        return match &lower[i + 2..] {
            _ if &lower[..i] != "1" => Err(NumberError::Malformed),
            "inf" | "inff" => Ok(Number::Float(f64::INFINITY, FloatSuffix::None)),
            "ind" | "qnan" | "snan" => Ok(Number::Float(f64::NAN, FloatSuffix::None)),
            _ => Err(NumberError::Malformed),
        };
    }
    let (digits, suffix) = float_suffix(lower);
    if !digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'+' | b'-')) {
        return Err(NumberError::Malformed);
    }
    match digits.parse::<f64>() {
        Ok(v) => Ok(Number::Float(v, suffix)),
        Err(_) => Err(NumberError::Malformed),
    }
}

fn float_suffix(lower: &str) -> (&str, FloatSuffix) {
    [("f", FloatSuffix::F), ("h", FloatSuffix::H), ("l", FloatSuffix::L)]
        .into_iter()
        .chain([("f16", FloatSuffix::F16), ("f32", FloatSuffix::F), ("f64", FloatSuffix::L)])
        .find_map(|(s, kind)| lower.strip_suffix(s).map(|d| (d, kind)))
        .unwrap_or((lower, FloatSuffix::None))
}

/// `1.8p-3`, as it stands behind `0x`: the mantissa in hexadecimal, the exponent a power of two in decimal.
fn hex_float(digits: &str) -> Result<Number, NumberError> {
    // No number that is not zero has an exponent as large as this.
    const MOST: i32 = 1 << 20;
    let (mantissa, rest) = digits.split_once('p').ok_or(NumberError::Malformed)?;
    let (rest, suffix) = float_suffix(rest);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let power = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let is_decimal = !power.is_empty() && power.bytes().all(|b| b.is_ascii_digit());
    let is_hex = !mantissa.is_empty()
        && mantissa != "."
        && whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_hexdigit());
    if !is_decimal || !is_hex {
        return Err(NumberError::Malformed);
    }
    let power: i32 = power.parse().unwrap_or(MOST).min(MOST);
    let mut exponent = if rest.starts_with('-') { -power } else { power };
    // The lowest bit of `value` also says whether any bit was lost, so that it rounds as all digits would.
    let mut value = 0u64;
    for (i, digit) in whole.chars().chain(fraction.chars()).filter_map(|c| c.to_digit(16)).enumerate() {
        let behind_point = i >= whole.len();
        if value >> 60 == 0 {
            value = value << 4 | u64::from(digit);
            exponent -= 4 * i32::from(behind_point);
        } else {
            value |= u64::from(digit != 0);
            exponent += 4 * i32::from(!behind_point);
        }
    }
    // In steps that neither overflow nor lose bits before the last one.
    let mut float = value as f64;
    while exponent != 0 && float != 0.0 && float.is_finite() {
        let step = exponent.clamp(-900, 900);
        float *= 2f64.powi(step);
        exponent -= step;
    }
    Ok(Number::Float(float, suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<String> {
        let mut map = crate::source::SourceMap::new();
        let mut names = words::interner();
        let f = map.add("x", text.into(), None, true).unwrap();
        lex(f, text, &mut names, usize::MAX).iter().map(|t| t.spelling(&names).to_string()).collect()
    }

    #[test]
    fn tokens_are_as_long_as_possible_and_swizzles_are_not_numbers() {
        assert_eq!(kinds("a>>=b/*c*/1.xxx"), ["a", ">>=", "b", "1", ".", "xxx"]);
        assert_eq!(
            kinds("0.5.xx 1e-5f 1.#INF .5h 0x1Fu"),
            ["0.5", ".", "xx", "1e-5f", "1.#INF", ".5h", "0x1Fu"]
        );
        assert_eq!(kinds("a\\\n b // c \\\n d\n e"), ["a", "b", "e"]);
    }

    #[test]
    fn numbers_have_values() {
        assert_eq!(number("0x1Fu"), Ok(Number::Int(31, IntSuffix::U)));
        assert_eq!(number("017"), Ok(Number::Int(15, IntSuffix::Bits)));
        assert_eq!(number("0b101"), Ok(Number::Int(5, IntSuffix::Bits)));
        assert_eq!(number("7l"), Ok(Number::Int(7, IntSuffix::Int)));
        assert_eq!(number("0xffffffffL"), Ok(Number::Int(0xffff_ffff, IntSuffix::U)));
        assert_eq!(number("7ul"), Ok(Number::Int(7, IntSuffix::U)));
        assert_eq!(number("7LL"), Ok(Number::Int(7, IntSuffix::L)));
        // Whether these are too large the version of the language says.
        assert_eq!(number("3000000000l"), Ok(Number::Int(3_000_000_000, IntSuffix::Int)));
        assert_eq!(number("1.5f64"), Ok(Number::Float(1.5, FloatSuffix::L)));
        assert_eq!(number("1.5F16"), Ok(Number::Float(1.5, FloatSuffix::F16)));
        assert_eq!(number("0.#INF"), Err(NumberError::Malformed));
        assert_eq!(number("1.5h"), Ok(Number::Float(1.5, FloatSuffix::H)));
        assert_eq!(number("1.#INF"), Ok(Number::Float(f64::INFINITY, FloatSuffix::None)));
        assert_eq!(number("0x1.8p1"), Ok(Number::Float(3.0, FloatSuffix::None)));
        assert_eq!(number("0x.8P-1h"), Ok(Number::Float(0.25, FloatSuffix::H)));
        assert_eq!(number("0xA.p0f"), Ok(Number::Float(10.0, FloatSuffix::F)));
        assert_eq!(
            number("0x1.fffffep-1"),
            Ok(Number::Float(f64::from(1.0f32.next_down()), FloatSuffix::None))
        );
        assert_eq!(number("0x1.fffffffffffffp-1L"), Ok(Number::Float(1.0f64.next_down(), FloatSuffix::L)));
        // More digits than a mantissa has: the last ones only decide how it rounds.
        assert_eq!(number("0x1.00000000000008p0"), Ok(Number::Float(1.0, FloatSuffix::None)));
        assert_eq!(
            number("0x1.000000000000080000001p0"),
            Ok(Number::Float(1.0f64.next_up(), FloatSuffix::None))
        );
        assert_eq!(number("0x1p-1074"), Ok(Number::Float(5e-324, FloatSuffix::None)));
        assert_eq!(number("0x1p99999999999"), Ok(Number::Float(f64::INFINITY, FloatSuffix::None)));
        for malformed in ["0xp1", "0x.p1", "0x1p", "0x1p+", "0x1.8", "0x1.g8p1", "0x1p1x"] {
            assert_eq!(number(malformed), Err(NumberError::Malformed), "{malformed}");
        }
        assert_eq!(number("09"), Err(NumberError::Malformed));
        assert_eq!(number("0X.8P-3F"), Ok(Number::Float(0.0625, FloatSuffix::F)));
        assert_eq!(number("0xFFp+2h"), Ok(Number::Float(1020.0, FloatSuffix::H)));
        assert_eq!(number("0x1p-1074l"), Ok(Number::Float(f64::from_bits(1), FloatSuffix::L)));
        assert_eq!(number("0x1p99999999999999999999"), Ok(Number::Float(f64::INFINITY, FloatSuffix::None)));
        assert_eq!(
            number("0x123456789abcdef012345p0"),
            Ok(Number::Float(1.3754889325393114e24, FloatSuffix::None))
        );
        for wrong in [
            "0x1p",
            "0x.p1",
            "0xp1",
            "0x1.8",
            "0x1.8.8p1",
            "0x1p+",
            "0x1pf",
            "0x1e+1",
            "1f",
            "1h",
            "00f",
            "1lL",
            "1.0lf",
        ] {
            assert_eq!(number(wrong), Err(NumberError::Malformed), "{wrong}");
        }
        assert_eq!(number("1.2.3"), Err(NumberError::Malformed));
        assert_eq!(number("99999999999999999999"), Err(NumberError::TooLarge));
        assert_eq!(number("5000000000u"), Ok(Number::Int(5_000_000_000, IntSuffix::U)));
    }
}
