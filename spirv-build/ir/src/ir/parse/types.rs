//! Types and constants.

use super::Parser;
use super::text::{Read, unescaped};
use crate::ir::print::types::ENCODED_FLOATS;
use crate::ir::types::{CustomType, TypeOperand};
use crate::ir::{
    ADDRESS_OPS, Const, ConstKind, ConstOperand, Global, ImageType, MatrixLayout, Member, Op, OpaqueType,
    SPEC_OPS, StructType, Type, TypeKind,
};
use spirv_spec::{Dim, FPEncoding, ImageFormat};
use std::sync::Arc;

/// How deep types and constants may be nested in each other.
const MAX_DEPTH: usize = 64;

/// A constant as it is written; its type tells what it means.
pub(super) enum Literal<'a> {
    Word(&'a str, usize),
    List(Vec<Literal<'a>>, usize),
    Spec(Option<u32>, u32, &'a str, usize),
    Address(Global, usize),
    Declared(Const, usize),
    Computed(Op, Vec<Result<(Literal<'a>, Type), u32>>),
}

impl<'a> Parser<'a> {
    /// `!name = !spirv.struct<...>`.
    pub(super) fn alias(&mut self) -> Read<()> {
        let at = self.t.here();
        let name = self.t.name("!")?;
        self.t.expect("=")?;
        self.t.expect("!spirv.struct<")?;
        let s = self.structure(name)?;
        self.t.expect(">")?;
        let ty = self.m.ctx.types.intern(TypeKind::Struct(s));
        if self.aliases.insert(name, ty).is_some() {
            return Err(self.t.error_at(at, format!("`!{name}` is defined twice")));
        }
        Ok(())
    }

    /// The name, if it is not the alias; members in parentheses; decorations.
    fn structure(&mut self, name: &str) -> Read<StructType> {
        let mut name = unescaped(name).into_owned();
        if self.t.peek() == Some(b'"') {
            name = self.t.string()?;
            self.t.expect(",")?;
        }
        let mut s = StructType::new(name, self.members()?);
        while self.t.eat(",") {
            s.decorations.add(self.decoration()?);
        }
        Ok(s)
    }

    fn members(&mut self) -> Read<Vec<Member>> {
        self.t.expect("(")?;
        let mut out = Vec::new();
        if self.t.eat(")") {
            return Ok(out);
        }
        loop {
            out.push(self.member()?);
            if self.t.eat(")") {
                return Ok(out);
            }
            self.t.expect(",")?;
        }
    }

    fn member(&mut self) -> Read<Member> {
        let mut m = Member::new("", self.void());
        if self.t.peek() == Some(b'"') {
            m.name = self.t.string()?;
            self.t.expect(":")?;
        } else {
            // A name is a word before a colon; anything else is a type.
            let mut ahead = self.t;
            if let Ok(name) = ahead.word()
                && ahead.eat(":")
            {
                m.name = name.to_string();
                self.t = ahead;
            }
        }
        m.ty = self.ty(1)?;
        if !self.t.eat("[") {
            return Ok(m);
        }
        let (mut row_major, mut declared) = (None, None);
        loop {
            if self.declared(&mut declared)? {
            } else if self.t.eat("RowMajor") {
                row_major = Some(true);
            } else if self.t.eat("ColMajor") {
                row_major = Some(false);
            } else if self.t.eat("MatrixStride") {
                self.t.expect("=")?;
                let stride = self.t.small()?;
                let Some(row_major) = row_major else {
                    return Err(self.t.error("`RowMajor` or `ColMajor` comes first"));
                };
                m.matrix = Some(MatrixLayout { stride, row_major });
            } else if self.t.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
                m.decorations.add(self.decoration()?);
            } else {
                m.offset = Some(self.t.small()?);
            }
            if self.t.eat("]") {
                m.declared = declared.map(Arc::new);
                return Ok(m);
            }
            self.t.expect(",")?;
        }
    }

    pub(super) fn void(&mut self) -> Type {
        self.m.ctx.types.void()
    }

    pub(super) fn read_type(&mut self) -> Read<Type> {
        self.ty(0)
    }

    fn ty(&mut self, depth: usize) -> Read<Type> {
        if depth > MAX_DEPTH {
            return Err(self.t.error("types are nested too deeply"));
        }
        match self.t.peek() {
            Some(b'!') => self.dialect_type(depth),
            Some(b'(') => self.function_type(depth),
            _ => self.plain_type(),
        }
    }

    /// `()` or `(A, B) -> C`.
    fn function_type(&mut self, depth: usize) -> Read<Type> {
        self.t.expect("(")?;
        let mut params = Vec::new();
        if !self.t.eat(")") {
            loop {
                params.push(self.ty(depth + 1)?);
                if self.t.eat(")") {
                    break;
                }
                self.t.expect(",")?;
            }
        }
        if !self.t.eat("->") {
            if params.is_empty() {
                return Ok(self.void());
            }
            return Err(self.t.error("expected `->`"));
        }
        let result = self.ty(depth + 1)?;
        Ok(self.m.ctx.types.intern(TypeKind::Function { result, params }))
    }

    /// `i32`, `f32`, `vector<4xf32>`.
    fn plain_type(&mut self) -> Read<Type> {
        if self.t.eat("vector") {
            self.t.expect("<")?;
            let len: u8 = self.t.small()?;
            // The separator sticks to the element type.
            if !self.eat_separator() {
                return Err(self.t.error("expected `x`"));
            }
            let elem = self.plain_type()?;
            self.t.expect(">")?;
            if len < 2 || self.m.ctx.types.len_of(elem) != 1 {
                return Err(self.t.error("a vector has at least two scalars"));
            }
            return Ok(self.m.ctx.types.vector(elem, len));
        }
        let at = self.t.here();
        let word = self.t.word().map_err(|e| super::ParseError { message: "expected a type".into(), ..e })?;
        let types = &mut self.m.ctx.types;
        if let Some((_, width, encoding)) = ENCODED_FLOATS.iter().find(|f| f.0 == word) {
            return Ok(types.intern(TypeKind::EncodedFloat { width: *width, encoding: *encoding }));
        }
        if let Some((width, encoding)) = word.strip_prefix('f').and_then(|w| w.split_once('_')) {
            let encoding = encoding.parse().ok().or_else(|| encoding.parse().ok().map(FPEncoding));
            if let (Ok(width), Some(encoding)) = (width.parse(), encoding) {
                return Ok(types.intern(TypeKind::EncodedFloat { width, encoding }));
            }
        }
        let digits = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let width: Option<u8> = digits.parse().ok();
        match (&word[..word.len() - digits.len()], width) {
            ("i", Some(1)) => Ok(types.bool()),
            ("i" | "ui", Some(n @ (8 | 16 | 32 | 64))) => Ok(types.int(n, false)),
            ("si", Some(n @ (8 | 16 | 32 | 64))) => Ok(types.int(n, true)),
            ("f", Some(n @ (16 | 32 | 64))) => Ok(types.float(n)),
            _ => Err(self.t.error_at(at, format!("`{word}` is no type"))),
        }
    }

    /// Takes the `x` of `4 x f32` and `4xf32`.
    fn eat_separator(&mut self) -> bool {
        self.t.eat("x") || self.t.eat_prefix("x")
    }

    fn dialect_type(&mut self, depth: usize) -> Read<Type> {
        let at = self.t.here();
        let name = self.t.name("!")?;
        let Some(kind) = name.strip_prefix("spirv.") else {
            return match self.aliases.get(name) {
                Some(ty) => Ok(*ty),
                None => Err(self.t.error_at(at, format!("`!{name}` is not defined"))),
            };
        };
        if kind == "sampler" {
            return Ok(self.m.ctx.types.intern(TypeKind::Sampler));
        }
        self.t.expect("<")?;
        let kind = match kind {
            "ptr" => {
                let pointee = self.ty(depth + 1)?;
                self.t.expect(",")?;
                let storage = self.enumerant("storage class")?;
                TypeKind::Pointer { pointee, storage }
            }
            "array" => {
                let len = self.t.small()?;
                if len == 0 || !self.eat_separator() {
                    return Err(self.t.error("expected a length of at least 1 and `x`"));
                }
                let elem = self.ty(depth + 1)?;
                TypeKind::Array { elem, len, stride: self.stride()? }
            }
            "specarray" => {
                let len = self.typed_constant()?;
                self.t.expect(",")?;
                TypeKind::SpecArray { elem: self.ty(depth + 1)?, len, stride: self.stride()? }
            }
            "rtarray" => {
                let elem = self.ty(depth + 1)?;
                TypeKind::RuntimeArray { elem, stride: self.stride()? }
            }
            "matrix" => {
                let columns = self.t.small()?;
                if !self.eat_separator() {
                    return Err(self.t.error("expected `x`"));
                }
                TypeKind::Matrix { column: self.ty(depth + 1)?, columns }
            }
            "struct" => {
                // One without a name, as it stands in tests.
                TypeKind::Struct(self.structure("")?)
            }
            "sampled_image" => TypeKind::SampledImage(self.ty(depth + 1)?),
            "image" => TypeKind::Image(self.image(depth)?),
            "opaque" => TypeKind::Opaque(self.opaque(depth)?),
            "custom" => TypeKind::Custom(self.custom(depth)?),
            _ => return Err(self.t.error_at(at, format!("`!{name}` is not known"))),
        };
        self.t.expect(">")?;
        Ok(self.m.ctx.types.intern(kind))
    }

    fn stride(&mut self) -> Read<Option<u32>> {
        if !self.t.eat(",") {
            return Ok(None);
        }
        self.t.expect("stride")?;
        self.t.expect("=")?;
        self.t.small().map(Some)
    }

    fn image(&mut self, depth: usize) -> Read<ImageType> {
        let sampled_type = self.ty(depth + 1)?;
        self.t.expect(",")?;
        let at = self.t.here();
        let word = self.t.word()?;
        let Ok(dim) = word.parse::<Dim>() else {
            return Err(self.t.error_at(at, format!("`{word}` is no dimension of images")));
        };
        let mut choice = |names: &[&str]| -> Read<u8> {
            self.t.expect(",")?;
            match names.iter().position(|n| self.t.eat(n)) {
                Some(n) => Ok(n as u8),
                None => Err(self.t.error(format!("expected one of {}", names.join(", ")))),
            }
        };
        let depth = choice(&["NoDepth", "IsDepth", "DepthUnknown"])?;
        let arrayed = choice(&["NonArrayed", "Arrayed"])? == 1;
        let multisampled = choice(&["SingleSampled", "MultiSampled"])? == 1;
        let sampled = choice(&["SamplerUnknown", "NeedSampler", "NoSampler"])?;
        self.t.expect(",")?;
        let format: ImageFormat = self.enumerant("image format")?;
        Ok(ImageType { sampled_type, dim, depth, arrayed, multisampled, sampled, format })
    }

    fn opaque(&mut self, depth: usize) -> Read<OpaqueType> {
        let at = self.t.here();
        let word = self.t.word()?;
        let Some(op) = super::names::op(word) else {
            return Err(self.t.error_at(at, format!("`{word}` declares no type")));
        };
        let mut out = OpaqueType { op, types: Vec::new(), words: Vec::new() };
        while self.t.eat(",") {
            if self.t.peek().is_some_and(|b| b.is_ascii_digit()) {
                out.words.push(self.t.small()?);
            } else {
                out.types.push(self.ty(depth + 1)?);
            }
        }
        Ok(out)
    }

    fn custom(&mut self, depth: usize) -> Read<CustomType> {
        let at = self.t.here();
        let word = self.t.word()?;
        let Some(op) = super::names::op(word) else {
            return Err(self.t.error_at(at, format!("`{word}` declares no type")));
        };
        let mut operands = Vec::new();
        while self.t.eat(",") {
            operands.push(if self.t.eat("const") {
                TypeOperand::Const(self.t.small()?)
            } else if self.t.peek().is_some_and(|b| b.is_ascii_digit()) {
                TypeOperand::Literal(self.t.small()?)
            } else {
                TypeOperand::Type(self.ty(depth + 1)?)
            });
        }
        Ok(CustomType { op, operands })
    }

    /// A constant whose type follows later.
    pub(super) fn literal(&mut self, depth: usize) -> Read<Literal<'a>> {
        if depth > MAX_DEPTH {
            return Err(self.t.error("constants are nested too deeply"));
        }
        let at = self.t.here();
        if self.t.eat("[") {
            let mut list = Vec::new();
            if self.t.eat("]") {
                return Ok(Literal::List(list, at));
            }
            loop {
                list.push(self.literal(depth + 1)?);
                if self.t.eat("]") {
                    return Ok(Literal::List(list, at));
                }
                self.t.expect(",")?;
            }
        }
        if self.t.eat("spec_id") {
            self.t.expect("(")?;
            let id = self.t.small()?;
            self.t.expect(")")?;
            self.t.expect("=")?;
            return Ok(Literal::Spec(Some(id), 0, self.t.literal()?, at));
        }
        if self.t.eat("spec") {
            self.t.expect("(")?;
            let number = self.t.small()?;
            self.t.expect(")")?;
            self.t.expect("=")?;
            return Ok(Literal::Spec(None, number, self.t.literal()?, at));
        }
        if self.t.peek() == Some(b'@') {
            let mut ahead = self.t;
            if let Some(c) = self.consts.get(ahead.name("@")?).copied() {
                self.t = ahead;
                return Ok(Literal::Declared(c, at));
            }
            return Ok(Literal::Address(self.global_name()?, at));
        }
        if self.t.eat("compute") {
            let word = self.t.word()?;
            let known = |op: &Op| ADDRESS_OPS.contains(op) || SPEC_OPS.contains(op);
            let Some(op) = super::names::op(word).filter(known) else {
                return Err(self.t.error_at(at, format!("`{word}` computes no constant")));
            };
            let mut list = Vec::new();
            self.t.expect("(")?;
            loop {
                if self.t.eat("literal") {
                    list.push(Err(self.t.small()?));
                } else {
                    let part = self.literal(depth + 1)?;
                    self.t.expect(":")?;
                    list.push(Ok((part, self.ty(depth + 1)?)));
                }
                if self.t.eat(")") {
                    return Ok(Literal::Computed(op, list));
                }
                self.t.expect(",")?;
            }
        }
        Ok(Literal::Word(self.t.literal()?, at))
    }

    /// The constant that is written so, of a type.
    pub(super) fn constant(&mut self, ty: Type, literal: &Literal<'a>) -> Read<Const> {
        let kind = match literal {
            Literal::Word("null", _) => ConstKind::Null,
            Literal::Word("undef", _) => ConstKind::Undef,
            Literal::Word(word, at) => {
                let bits = self.scalar(ty, word, *at)?;
                match self.m.ctx.types.kind(ty) {
                    TypeKind::Bool => ConstKind::Bool(bits != 0),
                    _ => ConstKind::Bits(bits),
                }
            }
            Literal::Spec(id, number, word, at) => {
                ConstKind::Spec { id: *id, default: self.scalar(ty, word, *at)?, number: *number }
            }
            Literal::Declared(c, at) if self.m.ctx.consts.ty(*c) != ty => {
                return Err(self.t.error_at(*at, "the constant has another type"));
            }
            Literal::Declared(c, _) => return Ok(*c),
            Literal::Address(g, at) => {
                let data = &self.m.globals[*g];
                let (pointee, storage) = (data.ty, data.storage);
                if self.m.ctx.types.pointer(pointee, storage) != ty {
                    return Err(self.t.error_at(*at, "the global has another type"));
                }
                ConstKind::Address(*g)
            }
            Literal::Computed(op, list) => {
                let operand = |p: &Result<(Literal<'a>, Type), u32>| match p {
                    Ok((part, t)) => self.constant(*t, part).map(ConstOperand::Const),
                    Err(n) => Ok(ConstOperand::Literal(*n)),
                };
                ConstKind::Computed(*op, list.iter().map(operand).collect::<Read<_>>()?)
            }
            Literal::List(list, at) => {
                let len = match self.m.ctx.types.kind(ty) {
                    TypeKind::Vector { len, .. } => usize::from(*len),
                    TypeKind::Matrix { columns, .. } => usize::from(*columns),
                    TypeKind::Array { len, .. } => *len as usize,
                    TypeKind::Struct(s) => s.members.len(),
                    _ => return Err(self.t.error_at(*at, "the type has no parts")),
                };
                if list.len() != len {
                    return Err(self.t.error_at(*at, format!("the type has {len} parts")));
                }
                let mut parts = Vec::new();
                for (i, part) in (0..).zip(list) {
                    let Some(t) = self.m.ctx.types.element(ty, i) else {
                        return Err(self.t.error_at(*at, "the type has no such part"));
                    };
                    parts.push(self.constant(t, part)?);
                }
                ConstKind::Composite(parts)
            }
        };
        Ok(self.m.ctx.constant(ty, kind))
    }

    /// The bits of a scalar.
    fn scalar(&self, ty: Type, word: &str, at: usize) -> Read<u64> {
        let (sign, digits) = match word.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, word),
        };
        let hex = digits.strip_prefix("0x").and_then(|d| u64::from_str_radix(d, 16).ok());
        let (bits, width) = match *self.m.ctx.types.kind(ty) {
            TypeKind::Bool => match word {
                "true" => (Some(1), 1),
                "false" => (Some(0), 1),
                _ => (None, 1),
            },
            TypeKind::Int { width, .. } => {
                let n = hex.or_else(|| digits.parse().ok());
                let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
                // A negative number stands for its two's complement, and must have one of this width.
                let fits = |n: u64| if sign { n <= (mask >> 1) + 1 } else { n <= mask };
                (n.filter(|n| fits(*n)).map(|n| if sign { n.wrapping_neg() & mask } else { n }), width)
            }
            TypeKind::EncodedFloat { width, .. } => (hex.filter(|_| !sign), width),
            TypeKind::Float { width } => {
                let bits = match (hex, width) {
                    (Some(bits), _) if !sign => Some(bits),
                    (None, 32) => word.parse().ok().map(|x: f32| u64::from(x.to_bits())),
                    (None, 64) => word.parse().ok().map(f64::to_bits),
                    _ => None,
                };
                (bits, width)
            }
            _ => (None, 0),
        };
        match bits {
            Some(bits) if width >= 64 || bits >> width == 0 => Ok(bits),
            _ => Err(self.t.error_at(at, format!("`{word}` is no value of the type"))),
        }
    }
}
