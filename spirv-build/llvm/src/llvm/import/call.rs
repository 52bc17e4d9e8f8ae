//! Calls: of functions of the module, of functions elsewhere, of what SPIR-V has words for.

use super::function::Body;
use super::raw::{Val, ValueKind};
use super::reserved;
use crate::ir::{Decoration, Type, Value};
use crate::llvm::mangle::{self, Param};
use spirv_spec::LinkageType;

/// A call of a builtin.
pub(super) struct Call<'m> {
    /// The instruction.
    pub inst: Val<'m>,
    /// Arguments.
    pub args: Vec<Val<'m>>,
    /// Types of the parameters, as far as the name tells.
    pub params: Vec<Param>,
    /// Type of the result.
    pub ty: Type,
}

/// What a call came to: not known, or its value.
pub(super) type Lowered = Result<Option<Option<Value>>, String>;

impl<'m> Body<'_, 'm, '_> {
    pub fn call(&mut self, inst: Val<'m>) -> Result<Option<Value>, String> {
        let Some((callee, args)) = inst.call() else { return Err("a call".into()) };
        match callee.kind() {
            ValueKind::LLVMFunctionValueKind => {}
            ValueKind::LLVMInlineAsmValueKind => return Err("assembly".into()),
            _ => return Err("a call of a function that is chosen at run time".into()),
        }
        let name = callee.name();
        if let Some(rest) = name.strip_prefix("llvm.") {
            // Some of them take what is no value, and nothing of their result is needed.
            if super::intrinsics::is_dropped(rest) {
                return Ok(None);
            }
            if let Some(callee) = super::loops::function(inst).and_then(|name| self.i.m.function(&name)) {
                return self.call_function(callee, inst, &args[..3]);
            }
            let call = Call { inst, args, params: Vec::new(), ty: self.ty(inst.ty())? };
            return self.intrinsic(rest, &call);
        }
        if !callee.is_declaration() {
            if callee.is_kernel() {
                return Err("a call of a kernel".into());
            }
            return self.call_function(callee, inst, &args);
        }
        let ty = self.ty(inst.ty())?;
        let (base, params) = mangle::demangle(&name).unwrap_or((&name, Vec::new()));
        let call = Call { inst, args, params, ty };
        let lowered =
            if base.starts_with("__spirv_") { self.spirv(base, &call)? } else { self.opencl(base, &call)? };
        match lowered {
            Some(value) => Ok(value),
            None if reserved::is_builtin(base, base != name) => Err(format!("the builtin function `{base}`")),
            None => self.call_function(callee, inst, &call.args),
        }
    }

    fn call_function(
        &mut self,
        callee: Val<'m>,
        inst: Val<'m>,
        args: &[Val<'m>],
    ) -> Result<Option<Value>, String> {
        let new = !self.i.funcs.contains_key(&callee);
        let func = self.i.declare(callee)?;
        if new {
            let link = Decoration::linkage(&callee.name(), LinkageType::Import);
            self.i.out.functions[func].decorations.add(link);
        }
        let types = self.i.signatures.get(&func).cloned().unwrap_or_default();
        let mut values = Vec::new();
        for (a, ty) in args.iter().zip(types) {
            let v = self.operand(*a)?;
            values.push(self.as_type(v, ty));
        }
        let result = self.ty(inst.ty())?;
        let v = self.b().call(func, result, &values);
        Ok((!inst.ty().is_void()).then_some(v))
    }

    /// An argument; an error if there are not so many.
    pub fn arg(&mut self, c: &Call<'m>, n: usize) -> Result<Value, String> {
        match c.args.get(n) {
            Some(a) => self.operand(*a),
            None => Err("a builtin function with too few arguments".into()),
        }
    }

    /// An argument that is a pointer, as one to objects of type `ty`.
    pub fn pointer_arg(&mut self, c: &Call<'m>, n: usize, ty: Type) -> Result<Value, String> {
        let v = self.arg(c, n)?;
        self.pointer_to(v, ty)
    }

    /// An argument that must be a constant.
    pub fn literal_arg(&self, c: &Call<'m>, n: usize) -> Result<u32, String> {
        match c.args.get(n).and_then(|a| a.int()) {
            Some(n) => Ok(n as u32),
            None => Err("an argument that must be constant".into()),
        }
    }

    /// The type of a parameter by its name.
    pub fn param_type(&mut self, p: &Param) -> Option<Type> {
        let types = &mut self.i.out.ctx.types;
        Some(match p {
            Param::Vector(n, elem) => {
                let elem = self.param_type(elem)?;
                self.i.out.ctx.types.vector(elem, u8::try_from(*n).ok()?)
            }
            Param::Scalar(_) if p.is_float() => types.float(p.width()),
            Param::Scalar("b") => types.bool(),
            Param::Scalar(_) if p.width() > 0 => types.int(p.width(), false),
            _ => return None,
        })
    }

    /// An argument; pointers as the name tells what they point to, otherwise to bytes.
    pub fn typed_arg(&mut self, c: &Call<'m>, n: usize) -> Result<Value, String> {
        let v = self.arg(c, n)?;
        if self.i.out.ctx.types.pointee(self.type_of(v)).is_none() {
            return Ok(v);
        }
        let pointee = match c.params.get(n) {
            Some(Param::Pointer(inner)) => self.param_type(&inner.clone()),
            _ => None,
        };
        match pointee {
            Some(ty) => self.pointer_to(v, ty),
            None => Ok(v),
        }
    }

    /// A bool as the result of a call whose type may be an integer.
    pub fn truth(&mut self, v: Value, c: &Call<'m>) -> Value {
        if self.is_bool(c.ty) {
            return v;
        }
        let vector = self.i.out.ctx.types.len_of(c.ty) > 1;
        self.bool_to_int(v, c.ty, vector)
    }
}
