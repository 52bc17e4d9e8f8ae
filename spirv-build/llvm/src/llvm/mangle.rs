//! Names of C++ and OpenCL C functions: the part of the Itanium ABI that builtin functions need.

/// How deep types may be nested in a name.
const MAX_DEPTH: usize = 32;

/// A parameter type in a mangled name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Param {
    /// A builtin type by its code: `i` int, `j` unsigned int, `f` float, `h` unsigned char, `Dh` half, ...
    Scalar(&'static str),
    /// A vector.
    Vector(u32, Box<Param>),
    /// A pointer.
    Pointer(Box<Param>),
    /// A named type.
    Named(String),
}

/// A row each: code, whether it is an integer with a sign, whether it is a float, bits.
const SCALARS: &[(&str, bool, bool, u8)] = &[
    ("v", false, false, 0),
    ("b", false, false, 1),
    ("c", true, false, 8),
    ("a", true, false, 8),
    ("h", false, false, 8),
    ("s", true, false, 16),
    ("t", false, false, 16),
    ("i", true, false, 32),
    ("j", false, false, 32),
    ("l", true, false, 64),
    ("m", false, false, 64),
    ("x", true, false, 64),
    ("y", false, false, 64),
    ("Dh", false, true, 16),
    ("f", false, true, 32),
    ("d", false, true, 64),
    ("z", false, false, 0),
];

impl Param {
    fn row(&self) -> Option<&'static (&'static str, bool, bool, u8)> {
        match self {
            Param::Scalar(code) => SCALARS.iter().find(|r| r.0 == *code),
            Param::Vector(_, elem) => elem.row(),
            _ => None,
        }
    }

    /// Whether it is a signed integer or a vector of them.
    pub fn is_signed(&self) -> bool {
        self.row().is_some_and(|r| r.1)
    }

    /// Whether it is a float or a vector of them.
    pub fn is_float(&self) -> bool {
        self.row().is_some_and(|r| r.2)
    }

    /// Bits of the scalar.
    pub fn width(&self) -> u8 {
        self.row().map_or(0, |r| r.3)
    }

    /// Components of a vector, 1 for other types.
    pub fn len(&self) -> u32 {
        if let Param::Vector(n, _) = self { *n } else { 1 }
    }

    /// Whether it is nothing: the only parameter of a function without any.
    pub fn is_empty(&self) -> bool {
        *self == Param::Scalar("v")
    }
}

/// Takes a mangled name apart: the name and the parameters. Parameters from the first that is not understood on are left
/// out. None if it is not mangled.
pub fn demangle(symbol: &str) -> Option<(&str, Vec<Param>)> {
    let rest = symbol.strip_prefix("_Z")?;
    let (name, rest) = source_name(rest)?;
    let mut p = Parser { rest, seen: Vec::new() };
    let mut params = Vec::new();
    while !p.rest.is_empty() {
        match p.ty(0) {
            Some(t) => params.push(t),
            None => break,
        }
    }
    if params.first().is_some_and(Param::is_empty) {
        params.clear();
    }
    Some((name, params))
}

/// A name with its length before it, and what follows.
fn source_name(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let len: usize = text.get(..digits)?.parse().ok()?;
    let end = digits.checked_add(len)?;
    Some((text.get(digits..end)?, text.get(end..)?))
}

struct Parser<'a> {
    rest: &'a str,
    /// What `S_`, `S0_`, ... stand for.
    seen: Vec<Param>,
}

impl Parser<'_> {
    fn eat(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn number(&mut self) -> Option<u32> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let n = self.rest.get(..digits)?.parse().ok()?;
        self.rest = &self.rest[digits..];
        Some(n)
    }

    fn ty(&mut self, depth: usize) -> Option<Param> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.eat("P") {
            let inner = self.ty(depth + 1)?;
            return self.keep(Param::Pointer(Box::new(inner)));
        }
        // Qualifiers: they are candidates for substitution together with what they qualify.
        let mut qualified = false;
        loop {
            if self.eat("U") {
                let (_, rest) = source_name(self.rest)?;
                self.rest = rest;
            } else if !(self.eat("K") || self.eat("V") || self.eat("r")) {
                break;
            }
            qualified = true;
        }
        if qualified {
            let inner = self.ty(depth + 1)?;
            return self.keep(inner);
        }
        if self.eat("Dv") {
            let n = self.number()?;
            if !self.eat("_") {
                return None;
            }
            let elem = self.ty(depth + 1)?;
            return self.keep(Param::Vector(n, Box::new(elem)));
        }
        if self.eat("S") {
            let (index, rest) = self.rest.split_once('_')?;
            let index = match index {
                "" => 0,
                digits => usize::from_str_radix(digits, 36).ok()?.checked_add(1)?,
            };
            self.rest = rest;
            return self.seen.get(index).cloned();
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            let (name, rest) = source_name(self.rest)?;
            let named = Param::Named(name.to_string());
            self.rest = rest;
            return self.keep(named);
        }
        // `DF16_` is C++'s `_Float16`.
        if self.eat("DF16_") {
            return Some(Param::Scalar("Dh"));
        }
        let row = SCALARS.iter().find(|r| self.rest.starts_with(r.0))?;
        self.eat(row.0);
        Some(Param::Scalar(row.0))
    }

    fn keep(&mut self, p: Param) -> Option<Param> {
        self.seen.push(p.clone());
        Some(p)
    }
}

/// A type as OpenCL C spells it (`uint4`, `half`): scalar code and components.
pub fn opencl_type(name: &str) -> Option<Param> {
    const NAMES: &[(&str, &str)] = &[
        ("char", "c"),
        ("uchar", "h"),
        ("short", "s"),
        ("ushort", "t"),
        ("int", "i"),
        ("uint", "j"),
        ("long", "l"),
        ("ulong", "m"),
        ("half", "Dh"),
        ("float", "f"),
        ("double", "d"),
        ("bool", "b"),
    ];
    let scalar = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let code = Param::Scalar(NAMES.iter().find(|r| r.0 == scalar)?.1);
    match &name[scalar.len()..] {
        "" => Some(code),
        n => Some(Param::Vector(n.parse().ok()?, Box::new(code))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtin_names_are_taken_apart() {
        let (name, params) = demangle("_Z5clampDv4_fS_S_").unwrap();
        assert_eq!((name, params.len(), params[2].len()), ("clamp", 3, 4));
        let (name, params) = demangle("_Z10atomic_addPU3AS1Vii").unwrap();
        assert_eq!((name, params.len()), ("atomic_add", 2));
        assert!(matches!(&params[0], Param::Pointer(p) if p.is_signed()));
        assert_eq!(demangle("_Z13get_global_idj").unwrap(), ("get_global_id", vec![Param::Scalar("j")]));
        assert_eq!(demangle("_Z12get_work_dimv").unwrap().1, vec![]);
        assert_eq!(demangle("_Z3maxDv2_DhS_").unwrap().1[1].width(), 16);
        assert_eq!(opencl_type("uint16").map(|t| t.len()), Some(16));
    }

    #[test]
    fn nonsense_is_not_a_name() {
        for bad in ["", "_Z", "_Z9abc", "_Z99999999999999999999x", "main", "_Z-1a"] {
            assert_eq!(demangle(bad), None, "{bad}");
        }
        let deep = format!("_Z1f{}i", "P".repeat(100_000));
        assert_eq!(demangle(&deep).unwrap().1, vec![]);
    }
}
