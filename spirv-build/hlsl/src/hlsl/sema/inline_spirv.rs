//! Functions that are instructions: `[[vk::ext_instruction(n)]]` and what belongs to it.
use super::convert::How;
use super::scope::Entity;
use super::{Sema, Val};
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::ast::ExprKind as E;
use crate::hlsl::hir::{Const, ExprId, ExprKind, FunctionId, SpirvArg, SpirvOp, Type, Types};
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
                self.report(
                    Code::BadVkAttribute,
                    a.span,
                    "`ext_instruction` takes a number and perhaps the name of a set",
                );
                return None;
            }
        };
        let code = self.const_int(code, "the number of an instruction")?;
        if !(0..=MAX_CODE).contains(&code) {
            self.report(Code::BadVkAttribute, a.span, format!("there is no instruction {code}"));
            return None;
        }
        let set = set.map(|e| match &self.ast.expr(e).kind {
            E::Str(s) => self.text(*s).trim_matches('"').to_string(),
            _ => "?".into(),
        });
        let glsl = match set.as_deref() {
            None | Some("") => false,
            Some("GLSL.std.450") => true,
            Some(other) => {
                self.unsupported(a.span, &format!("instruction set `{other}`"));
                return None;
            }
        };
        Some(SpirvOp { code: code as u32, glsl })
    }

    /// `[[vk::ext_capability(n)]]` and `[[vk::ext_extension("SPV_…")]]`.
    pub(super) fn ext_requests(&mut self, attrs: &'a [ast::Attribute]) {
        for a in attrs {
            if !self.is_vk(a) {
                continue;
            }
            match (self.text(a.name.text), a.args.as_slice()) {
                ("ext_capability", [e]) => {
                    let Some(n) = self.const_int(*e, "the number of a capability") else { continue };
                    match u32::try_from(n).ok().filter(|n| spirv_spec::Capability::from_u32(*n).is_some()) {
                        Some(n) => self.want_capability(n),
                        None => {
                            self.report(Code::BadVkAttribute, a.span, format!("there is no capability {n}"));
                        }
                    }
                }
                ("ext_extension", [e]) if matches!(self.ast.expr(*e).kind, E::Str(_)) => {
                    let E::Str(s) = self.ast.expr(*e).kind else { continue };
                    let name = self.text(s).trim_matches('"').to_string();
                    self.want_extension(&name);
                }
                ("ext_builtin_input", _) => {}
                ("ext_builtin_output", _) => {
                    self.report(
                        Code::NotInCompute,
                        a.span,
                        "`vk::ext_builtin_output` is for other shader stages",
                    )
                    .label("compute kernels have no system values to write")
                    .help("write results to a writable resource");
                }
                (name @ ("ext_capability" | "ext_extension"), _) => {
                    let what = if name == "ext_capability" { "a number" } else { "a string" };
                    let message = format!("`{name}` takes {what}");
                    self.report(Code::BadVkAttribute, a.span, message);
                }
                _ => {}
            }
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
    pub(super) fn printf(&mut self, args: &'a [ast::ExprId], span: Span) -> ExprId {
        let format = args.first().and_then(|&e| self.string_value(e));
        let Some(format) = format else {
            self.report(Code::NoOverload, span, "the first argument of `printf` is a string");
            return self.error_value(span);
        };
        let format = self.text(format).trim_matches('"').to_string();
        let mut list = Vec::new();
        for &e in &args[1..] {
            let value = self.rvalue(e);
            let value = self.settle(value);
            let ty = self.ty(value);
            match self.types.get(ty) {
                Type::Error => return self.error_value(span),
                Type::Scalar(_) | Type::Vector(..) | Type::Enum(_) => list.push(value),
                _ => {
                    let (name, at) = (self.type_name(ty), self.span(value));
                    self.report(Code::NoOverload, at, format!("`printf` does not print `{name}`"));
                    return self.error_value(span);
                }
            }
        }
        self.node(ExprKind::Printf { format, args: list }, Types::VOID, span)
    }

    /// A call of such a function.
    pub(super) fn inline_spirv(&mut self, id: FunctionId, args: Vec<Val>, span: Span) -> Val {
        let f = &self.funcs[id.index()];
        let (Some(op), params, ret, name, ast) = (f.spirv, f.params.clone(), f.ret, f.name.clone(), f.ast)
        else {
            return Val::Value(self.error_value(span));
        };
        if args.len() != params.len() {
            return self.wrong_count(&name, &params.len().to_string(), args.len(), span);
        }
        let mut list = Vec::new();
        for (i, ((p, written), &v)) in params.iter().zip(&ast.params).zip(&args).enumerate() {
            let what = format!("argument {} of `{name}`", i + 1);
            if self.vk_flag(&written.attrs, "ext_reference") {
                let Val::Place(place) = v else {
                    let at = self.val_span(v);
                    self.report(Code::ArgumentNotAssignable, at, format!("{what} must be a variable"));
                    return Val::Value(self.error_value(span));
                };
                if let Some(local) = self.root_local(place) {
                    self.f.locals[local.index()].written = true;
                }
                list.push(SpirvArg::Reference(place));
                continue;
            }
            let value = self.load(v);
            let value = self.convert(value, p.ty, How::Implicit, &what);
            if self.is_error(self.ty(value)) {
                return Val::Value(value);
            }
            if self.vk_flag(&written.attrs, "ext_literal") {
                let literal = match self.const_of(value) {
                    Some(Const::Int(n)) => Some(*n as u32),
                    Some(Const::Bool(b)) => Some(u32::from(*b)),
                    Some(Const::Float(x)) => Some((*x as f32).to_bits()),
                    _ => None,
                };
                let Some(literal) = literal else {
                    let at = self.span(value);
                    self.report(
                        Code::NotConstant,
                        at,
                        format!("{what} becomes a literal: it must be constant"),
                    );
                    return Val::Value(self.error_value(span));
                };
                list.push(SpirvArg::Literal(literal));
                continue;
            }
            // Resources are passed as what they are, not as their address.
            list.push(SpirvArg::Value(value));
        }
        Val::Value(self.node(ExprKind::Spirv(op, list), ret, span))
    }
}
