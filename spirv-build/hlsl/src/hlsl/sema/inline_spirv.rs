//! Functions that are instructions: `[[vk::ext_instruction(n)]]` and what belongs to it.
use super::scope::Entity;
use super::{Checked, Refuse, Reported, Sema, Val};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::ast::ExprKind as E;
use crate::hlsl::hir::{Const, ExprKind, FunctionId, SpirvArg, SpirvOp, Type, Types};
use crate::source::{Span, Symbol};

/// Largest number of an instruction or capability.
const MAX_CODE: i64 = 0xffff;

impl<'a> Sema<'a> {
    /// The instruction that a function's attributes name. Notes capabilities and extensions.
    pub(super) fn ext_instruction(&mut self, attrs: &'a [ast::Attribute]) -> Option<SpirvOp> {
        self.ext_requests(attrs);
        let a = self.find_vk(attrs, "ext_instruction")?;
        let (code, set) = match a.args.as_slice() {
            [code] => (*code, None),
            [code, set] => (*code, Some(*set)),
            _ => {
                let text = "`ext_instruction` takes a number and perhaps the name of a set";
                self.report(Code::BadVkAttribute, a.span, text);
                return None;
            }
        };
        let code = self.const_int(code, "the number of an instruction")?;
        if !(0..=MAX_CODE).contains(&code) {
            self.report(Code::BadVkAttribute, a.span, format!("there is no instruction {code}"));
            return None;
        }
        let set = set.map_or("", |e| match self.ast.expr(e).kind {
            E::Str(s) => self.text(s).trim_matches('"'),
            _ => "?",
        });
        let glsl = set == "GLSL.std.450";
        if !glsl && !set.is_empty() {
            let what = format!("instruction set `{set}`");
            self.unsupported(a.span, &what);
            return None;
        }
        Some(SpirvOp { code: code as u32, glsl })
    }

    /// `[[vk::ext_capability(n)]]` and `[[vk::ext_extension("SPV_…")]]`.
    pub(super) fn ext_requests(&mut self, attrs: &'a [ast::Attribute]) {
        for a in attrs {
            if !self.is_vk(a) {
                continue;
            }
            let wants = match (self.text(a.name.text), a.args.as_slice()) {
                ("ext_capability", [e]) => {
                    let Some(n) = self.const_int(*e, "the number of a capability") else { continue };
                    match u32::try_from(n).ok().filter(|n| spirv_spec::Capability::from_u32(*n).is_some()) {
                        Some(n) => self.want_capability(n),
                        None => {
                            self.report(Code::BadVkAttribute, a.span, format!("there is no capability {n}"));
                        }
                    }
                    continue;
                }
                ("ext_capability", _) => "`ext_capability` takes a number",
                ("ext_extension", _) => match self.attr_text(a).map(String::from) {
                    Some(name) => {
                        self.want_extension(&name);
                        continue;
                    }
                    None => "`ext_extension` takes a string",
                },
                ("ext_builtin_output", _) => {
                    let text = "`vk::ext_builtin_output` is for other shader stages";
                    self.report(Code::NotInCompute, a.span, text)
                        .label("compute kernels have no system values to write")
                        .help("write results to a writable resource");
                    continue;
                }
                _ => continue,
            };
            self.report(Code::BadVkAttribute, a.span, wants);
        }
    }

    /// The text of a literal, or of a string that is one.
    pub(super) fn string_value(&self, e: ast::ExprId) -> Option<Symbol> {
        match &self.ast.expr(e).kind {
            E::Str(s) => Some(*s),
            E::Path(path) => match self.lookup_path(self.ast.path(*path))? {
                Entity::Text(s) => Some(s),
                _ => None,
            },
            E::InitList(list) => match self.ast.list(*list) {
                [one] => self.string_value(*one),
                _ => None,
            },
            _ => None,
        }
    }

    /// `printf("…", values)`
    pub(super) fn printf(&mut self, args: &'a [ast::ExprId], span: Span) -> Checked {
        let Some(format) = args.first().and_then(|&e| self.string_value(e)) else {
            let text = "the first argument of `printf` is a string";
            return self.report(Code::NoOverload, span, text).refuse();
        };
        let format = self.text(format).trim_matches('"').to_string();
        let mut list = Vec::new();
        for &e in &args[1..] {
            let value = self.rvalue(e);
            let value = self.settle(value);
            let ty = self.ty(value);
            match self.types.get(ty) {
                Type::Error => return Err(Reported),
                Type::Scalar(_) | Type::Vector(..) | Type::Enum(_) => list.push(value),
                _ => {
                    let text = format!("`printf` does not print `{}`", self.type_name(ty));
                    return self.report(Code::NoOverload, self.span(value), text).refuse();
                }
            }
        }
        Ok(self.node(ExprKind::Printf { format, args: list }, Types::VOID, span))
    }

    /// A call of such a function.
    pub(super) fn inline_spirv(&mut self, id: FunctionId, args: &[Val], span: Span) -> Checked<Val> {
        let f = &self.funcs[id.index()];
        let (params, ret, name, ast) = (f.params.clone(), f.ret, f.name.clone(), f.ast);
        let op = f.spirv.ok_or(Reported)?;
        if args.len() != params.len() {
            return self.wrong_count(&name, (params.len(), params.len()), args.len(), span);
        }
        let mut list = Vec::new();
        for (i, ((p, written), &v)) in params.iter().zip(&ast.params).zip(args).enumerate() {
            let what = format!("argument {} of `{name}`", i + 1);
            if self.vk_flag(&written.attrs, "ext_reference") {
                let Val::Place(place) = v else {
                    let text = format!("{what} must be a variable");
                    return self.report(Code::ArgumentNotAssignable, self.val_span(v), text).refuse();
                };
                if let Some(local) = self.root_local(place) {
                    self.f.locals[local.index()].written = true;
                }
                list.push(SpirvArg::Reference(place));
                continue;
            }
            let value = self.implicit(v, p.ty, &what)?;
            if !self.vk_flag(&written.attrs, "ext_literal") {
                // Resources are passed as what they are, not as their address.
                list.push(SpirvArg::Value(value));
                continue;
            }
            list.push(SpirvArg::Literal(match self.const_of(value) {
                Some(Const::Int(n)) => *n as u32,
                Some(Const::Bool(b)) => u32::from(*b),
                Some(Const::Float(x)) => (*x as f32).to_bits(),
                _ => {
                    let text = format!("{what} becomes a literal: it must be constant");
                    return self.report(Code::NotConstant, self.span(value), text).refuse();
                }
            }));
        }
        Ok(Val::Value(self.node(ExprKind::Spirv(op, list), ret, span)))
    }
}
