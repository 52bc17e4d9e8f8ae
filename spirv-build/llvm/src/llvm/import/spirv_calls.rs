//! Functions whose names are those of SPIR-V: `__spirv_<op>`, `__spirv_ocl_<name>`, `__spirv_BuiltIn<name>`.

use super::call::{Call, Lowered};
use super::function::Body;
use super::types;
use crate::ir::{
    ConstKind, Decoration, ExtSet, InstData, Op, OpaqueType, Opcode, Operand, StorageClass, Type, TypeKind,
    Value,
};
use spirv_spec::{Category, Kind, Quantifier};

/// The number of an instruction of `OpenCL.std`.
pub(super) fn opencl_number(name: &str) -> Option<u32> {
    ExtSet::OpenCl.number(name)
}

/// What the end of a name says.
#[derive(Default)]
pub(super) struct Postfix {
    pub saturate: bool,
    /// `FPRoundingMode`.
    pub rounding: Option<u32>,
}

/// Takes `_sat` and `_rte`, `_rtz`, `_rtp`, `_rtn` off the end of a name.
pub(super) fn postfixes(mut name: &str) -> (&str, Postfix) {
    let mut out = Postfix::default();
    for (n, end) in (0..).zip(["_rte", "_rtz", "_rtp", "_rtn"]) {
        if let Some(rest) = name.strip_suffix(end) {
            (name, out.rounding) = (rest, Some(n));
            break;
        }
    }
    if let Some(rest) = name.strip_suffix("_sat") {
        (name, out.saturate) = (rest, true);
    }
    (name, out)
}

impl Postfix {
    pub fn decorations(&self) -> Vec<Decoration> {
        let mut out = Vec::new();
        if self.saturate {
            out.push(Decoration::plain(spirv_spec::Decoration::SaturatedConversion));
        }
        if let Some(mode) = self.rounding {
            out.push(Decoration::words(spirv_spec::Decoration::FPRoundingMode, &[mode]));
        }
        out
    }
}

impl<'m> Body<'_, 'm, '_> {
    /// The value of a system value, or of a component of it.
    pub fn system_value(
        &mut self,
        b: spirv_spec::BuiltIn,
        ty: Type,
        vector: bool,
        index: Option<Value>,
    ) -> Result<Value, String> {
        let object = if vector { self.i.out.ctx.types.vector(ty, 3) } else { ty };
        let g = self.i.builtin(b, object);
        let real = self.i.out.globals[g].ty;
        let p = self.b().address_of(g, real, StorageClass::Input);
        let all = self.b().load(p);
        let types = &self.i.out.ctx.types;
        let elem = types.scalar_of(real);
        let v = match (index, types.len_of(real)) {
            (Some(i), 2..) => match self.f.as_const(i).and_then(|c| self.i.out.ctx.consts.bits(c)) {
                Some(n @ 0..=2) => self.b().extract(all, elem, &[n as u32]),
                Some(_) => return Err("a system value of a dimension that there is not".into()),
                None => self.b().op(Op::VectorExtractDynamic, elem, &[all, i]),
            },
            _ => all,
        };
        // The module may see it with another width than it has.
        let (have, want) = (self.type_of(v), ty);
        Ok(if have == want || self.is_bool(have) { v } else { self.b().op(Op::UConvert, want, &[v]) })
    }

    /// A call of `__spirv_...`.
    pub fn spirv(&mut self, name: &str, c: &Call<'m>) -> Lowered {
        let rest = name.trim_start_matches("__spirv_");
        if let Some(b) = rest.strip_prefix("BuiltIn") {
            let Some(b) = types::builtin(b) else { return Ok(None) };
            let index = if c.args.is_empty() { None } else { Some(self.arg(c, 0)?) };
            let vector = index.is_some();
            return self.system_value(b, c.ty, vector, index).map(|v| Some(Some(v)));
        }
        if let Some(name) = rest.strip_prefix("ocl_") {
            let base = name.split("__R").next().unwrap_or(name);
            let Some(number) = opencl_number(base) else { return Ok(None) };
            return self.ext(number, base, c).map(|v| Some(Some(v)));
        }
        let (rest, postfix) = postfixes(rest);
        if let Some(to) = rest.strip_prefix("GenericCastToPtrExplicit_To") {
            let storage = match to {
                "Global" => StorageClass::CrossWorkgroup,
                "Local" => StorageClass::Workgroup,
                "Private" => StorageClass::Function,
                _ => return Ok(None),
            };
            let p = self.arg(c, 0)?;
            let byte = self.i.out.ctx.types.int(8, false);
            let p = self.pointer_to(p, byte)?;
            let ty = self.i.byte_pointer(storage);
            let operands = [Operand::Id(p), Operand::Literal(storage.0)];
            return Ok(Some(Some(self.b().value(Op::GenericCastToPtrExplicit, ty, &operands))));
        }
        let base = rest.split("_R").next().unwrap_or(rest);
        if base == "SpecConstant" {
            return self.spec_constant(c).map(|v| Some(Some(v)));
        }
        let Some((op, row)) = Op::by_name(base).and_then(|op| Some((op, op.row()?))) else { return Ok(None) };
        if matches!(op, Op::UMulExtended | Op::SMulExtended | Op::IAddCarry | Op::ISubBorrow)
            && c.inst.ty().is_void()
        {
            return self.extended_result(op, c);
        }
        let mut data = InstData::new(op, [], self.span);
        data.decorations.extend(postfix.decorations());
        let atomic = op.is_atomic();
        // Compared values follow the pointer, scopes and semantics; what it points to is of their type.
        let object = match c.args.last() {
            _ if !atomic => None,
            _ if !c.inst.ty().is_void() && !self.is_bool(c.ty) => Some(c.ty),
            Some(last) => Some(self.ty(last.ty())?),
            None => None,
        };
        let (mut n, rows) = (0, row.operands());
        for o in rows {
            while n < c.args.len() {
                let operand = match o.kind.category() {
                    Category::Id => {
                        let mut v = self.typed_arg(c, n)?;
                        if let (Some(ty), 0) = (object, n) {
                            v = self.pointer_to(v, ty)?;
                        }
                        if op == Op::GroupWaitEvents && n == 2 {
                            let event =
                                OpaqueType { op: Op::TypeEvent, types: Vec::new(), words: Vec::new() };
                            let event = self.i.out.ctx.types.intern(TypeKind::Opaque(event));
                            v = self.pointer_to(v, event)?;
                        }
                        if matches!(o.kind, Kind::IdScope | Kind::IdMemorySemantics) {
                            v = self.b_u32_constant(c, n).unwrap_or(v);
                        }
                        Operand::Id(v)
                    }
                    _ => Operand::Literal(self.literal_arg(c, n)?),
                };
                data.operands.push(operand);
                n += 1;
                if o.quantifier != Quantifier::Any {
                    break;
                }
            }
        }
        // A mask may want operands of its own: literals behind those of memory, values behind those of images.
        let last = row.operands().iter().last().map(|o| o.kind);
        while n < c.args.len() {
            let operand = match last {
                Some(Kind::MemoryAccess) => Operand::Literal(self.literal_arg(c, n)?),
                Some(Kind::ImageOperands) => Operand::Id(self.arg(c, n)?),
                _ => break,
            };
            data.operands.push(operand);
            n += 1;
        }
        if n < c.args.len() {
            return Err("more arguments than the instruction has operands".into());
        }
        if !row.has_result() {
            self.b().append(data, &[]);
            return Ok(Some(None));
        }
        let boolean = row.class() == "Relational_and_Logical" && op != Op::Select && !self.is_bool(c.ty);
        let boolean = boolean || matches!(op, Op::GroupAll | Op::GroupAny) && !self.is_bool(c.ty);
        let ty = if boolean { self.bools_like(c.ty) } else { c.ty };
        let inst = self.b().append(data, &[ty]);
        let v = self.f.insts[inst].results[0];
        let v = if boolean { self.truth(v, c) } else { v };
        Ok(Some((!c.inst.ty().is_void()).then_some(v)))
    }

    /// A specialization constant: its number and its value by default.
    fn spec_constant(&mut self, c: &Call<'m>) -> Result<Value, String> {
        let id = self.literal_arg(c, 0)?;
        let v = self.arg(c, 1)?;
        let default = self.f.as_const(v).and_then(|c| self.i.out.ctx.consts.bits(c));
        let Some(default) = default else { return Err("a specialization constant without a value".into()) };
        let scalar = self.i.out.ctx.types.len_of(c.ty) == 1;
        if !scalar || self.i.out.ctx.types.width_of(c.ty).is_none() {
            return Err("a specialization constant of this type".into());
        }
        let default = if self.is_bool(c.ty) { u64::from(default != 0) } else { default };
        let k = self.i.out.ctx.constant(c.ty, ConstKind::spec(id, default));
        Ok(self.b().constant(k))
    }

    /// An instruction whose two results are stored through the first argument.
    fn extended_result(&mut self, op: Op, c: &Call<'m>) -> Lowered {
        let callee = c.inst.call().map(|(callee, _)| callee);
        let Some(object) = callee.and_then(|v| v.type_attribute(1, "sret")) else { return Ok(None) };
        let (to, a, b) = (self.arg(c, 0)?, self.arg(c, 1)?, self.arg(c, 2)?);
        let ty = self.ty(object)?;
        let both = self.b().op(op, ty, &[a, b]);
        let p = self.pointer_to(to, ty)?;
        self.b().store(p, both);
        Ok(Some(None))
    }

    fn b_u32_constant(&mut self, c: &Call<'m>, n: usize) -> Option<Value> {
        let bits = c.args.get(n)?.int()? as u32;
        Some(self.b().u32(bits))
    }

    /// An instruction of `OpenCL.std` on the arguments of a call.
    pub fn ext(&mut self, number: u32, name: &str, c: &Call<'m>) -> Result<Value, String> {
        // The last operand of these is a literal.
        let literal = matches!(
            name,
            "vloadn"
                | "vload_halfn"
                | "vloada_halfn"
                | "vstore_half_r"
                | "vstore_halfn_r"
                | "vstorea_halfn_r"
        );
        let mut operands = Vec::new();
        for n in 0..c.args.len() {
            if literal && n + 1 == c.args.len() {
                operands.push(Operand::Literal(self.literal_arg(c, n)?));
                continue;
            }
            let v = self.typed_arg(c, n)?;
            operands.push(Operand::Id(v));
        }
        Ok(self.b().value(Opcode::Ext(ExtSet::OpenCl, number), c.ty, &operands))
    }
}
