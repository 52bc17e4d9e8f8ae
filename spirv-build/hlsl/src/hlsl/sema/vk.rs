//! The namespace `vk` that is always there: its types, functions and constants.
use super::{Checked, Refuse, Reported, Sema, Val};
use crate::diag::Code;
use crate::diag::suggest;
use crate::hlsl::ast;
use crate::hlsl::attributes::Args;
use crate::hlsl::hir::{
    Const, Conversion, ExprKind, MatrixOrder, PlaceKind, Scalar, SpirvArg, SpirvOp, SpirvOperand, SpirvType,
    Type, TypeId, Types,
};
use crate::hlsl::layout::{Layout, Rules};
use crate::source::Span;

/// Scopes of SPIR-V, by the names that the namespace gives them.
const CONSTANTS: &[(&str, i64)] = &[
    ("CrossDeviceScope", 0),
    ("DeviceScope", 1),
    ("WorkgroupScope", 2),
    ("SubgroupScope", 3),
    ("InvocationScope", 4),
    ("QueueFamilyScope", 5),
];

/// Templates of types of the namespace.
const TYPES: &[&str] = &[
    "BufferPointer",
    "SpirvType",
    "SpirvOpaqueType",
    "ext_type",
    "ext_result_id",
    "integral_constant",
    "Literal",
];

/// Functions of the namespace.
const FUNCTIONS: &[&str] = &[
    "RawBufferLoad",
    "RawBufferStore",
    "ReadClock",
    "ext_execution_mode",
    "static_pointer_cast",
    "reinterpret_pointer_cast",
];

/// Execution modes of compute kernels, and how many literals each takes.
const MODES: &[(spirv_spec::ExecutionMode, usize)] = {
    use spirv_spec::ExecutionMode as M;
    &[
        (M::SubgroupUniformControlFlowKHR, 0),
        (M::DenormPreserve, 1),
        (M::DenormFlushToZero, 1),
        (M::SignedZeroInfNanPreserve, 1),
        (M::RoundingModeRTE, 1),
        (M::RoundingModeRTZ, 1),
        (M::MaximallyReconvergesKHR, 0),
    ]
};

/// Largest alignment that a pointer may have.
const MAX_ALIGN: i64 = 1 << 16;
const READ_CLOCK: u32 = spirv_spec::Op::ReadClockKHR.0 as u32;
const SHADER_CLOCK: u32 = spirv_spec::Capability::ShaderClockKHR.0;

impl<'a> Sema<'a> {
    /// Whether a path names something in the namespace that the source does not declare itself.
    pub(super) fn in_vk(&self, path: &ast::Path) -> bool {
        matches!(path.parts.as_slice(), [first, _] if self.text(first.text) == "vk")
    }

    /// A type of the namespace; `None` if there is none of this name.
    pub(super) fn vk_type(&mut self, path: &'a ast::Path) -> Option<TypeId> {
        let name = self.text(path.last().text).to_string();
        let args = path.args.as_deref().unwrap_or(&[]);
        let object = crate::hlsl::builtin::sampled_texture(&name);
        let made = match (name.as_str(), object) {
            ("SubpassInput" | "SubpassInputMS", _) => Ok(self.foreign_type(&name, args, path.span)),
            (_, Some(object)) => Ok(self.object_type(object, path, &format!("vk::{name}"))),
            _ if TYPES.contains(&name.as_str()) => self.vk_template(&name, args, path.span),
            _ => return None,
        };
        Some(made.unwrap_or(Types::ERROR))
    }

    fn vk_template(&mut self, name: &str, args: &'a [ast::TemplateArg], span: Span) -> Checked<TypeId> {
        use ast::TemplateArg as A;
        let want = match (name, args) {
            ("BufferPointer", [A::Type(t)] | [A::Type(t), _]) => return self.buffer_pointer(t, args.get(1)),
            ("BufferPointer", _) => "a type and perhaps its alignment",
            ("SpirvType", [op, size, align, operands @ ..]) => {
                return self.spirv_type(op, Some((size, align)), operands);
            }
            ("SpirvType", _) => "an instruction, a size, an alignment and operands",
            ("SpirvOpaqueType", [op, operands @ ..]) => return self.spirv_type(op, None, operands),
            ("SpirvOpaqueType", _) => "an instruction and operands",
            ("ext_type", [arg]) => {
                let (id, at) = self.template_int(arg).ok_or(Reported)?;
                return match self.ext_types.get(&id) {
                    Some(&ty) => Ok(ty),
                    None => {
                        let text = format!("there is no `ext_type_def` {id}");
                        self.report(Code::UnknownType, at, text).refuse()
                    }
                };
            }
            ("ext_type", _) => "one number",
            ("ext_result_id", [A::Type(t)]) => return Ok(self.resolve(t)),
            ("ext_result_id", _) => "one type",
            ("integral_constant", [A::Type(t), value]) => {
                let ty = self.resolve(t);
                let (value, _) = self.template_int(value).ok_or(Reported)?;
                return Ok(self.types.intern(Type::Constant { ty, value, literal: false }));
            }
            ("integral_constant", _) => "a type and a value",
            (_, [A::Type(t)]) => {
                let ty = self.resolve(t);
                match self.types.get(ty) {
                    Type::Error => return Err(Reported),
                    Type::Constant { ty, value, .. } => {
                        return Ok(self.types.intern(Type::Constant { ty, value, literal: true }));
                    }
                    _ => "a `vk::integral_constant`",
                }
            }
            _ => "a `vk::integral_constant`",
        };
        self.report(Code::BadElementType, span, format!("`vk::{name}` takes {want}")).refuse()
    }

    /// Reports types of which nothing can lie in a buffer that is reached by address.
    fn can_be_pointed_to(&mut self, elem: TypeId, span: Span) -> Checked<()> {
        if self.is_error(elem) {
            return Err(Reported);
        }
        if elem != Types::VOID && !self.types.contains_resource(elem) && !self.types.is_opaque(elem) {
            return Ok(());
        }
        let text = format!("a buffer cannot hold `{}`", self.type_name(elem));
        self.report(Code::BadElementType, span, text).refuse()
    }

    /// `vk::BufferPointer<T, align>`
    fn buffer_pointer(
        &mut self,
        t: &'a ast::TypeExpr,
        align: Option<&'a ast::TemplateArg>,
    ) -> Checked<TypeId> {
        let elem = self.resolve(t);
        self.can_be_pointed_to(elem, t.span)?;
        let align = match align {
            Some(arg) => Some(self.template_int(arg).ok_or(Reported)?),
            None => None,
        };
        self.pointer_to(elem, align)
    }

    /// A pointer type. Without an alignment, or with 0, it is the type's own, which stays 0: the type may not be whole yet.
    fn pointer_to(&mut self, elem: TypeId, align: Option<(i64, Span)>) -> Checked<TypeId> {
        let order = self.options.matrix_order;
        let own = self.own_alignment(elem, order);
        let align = match align {
            Some((n, at)) if n != 0 && (!(1..=MAX_ALIGN).contains(&n) || n & (n - 1) != 0) => {
                let text = format!("{n} is no alignment: a power of two is one");
                return self.report(Code::BadElementType, at, text).refuse();
            }
            Some((n, _)) if n > 0 && n as u32 != own => n as u32,
            _ => 0,
        };
        Ok(self.types.intern(Type::BufferPointer { elem, align, order }))
    }

    /// The alignment of a type in a buffer.
    fn own_alignment(&self, ty: TypeId, order: MatrixOrder) -> u32 {
        Layout::new(&self.types, Rules::Storage).extent(ty, order).align.max(1) as u32
    }

    /// `vk::SpirvType<op, size, align, operands…>`, `vk::SpirvOpaqueType<op, operands…>`
    fn spirv_type(
        &mut self,
        op: &'a ast::TemplateArg,
        layout: Option<(&'a ast::TemplateArg, &'a ast::TemplateArg)>,
        operands: &'a [ast::TemplateArg],
    ) -> Checked<TypeId> {
        let number = |s: &mut Self, arg| match s.template_int(arg).ok_or(Reported)? {
            (n, _) if (0..=i64::from(u16::MAX)).contains(&n) => Ok(n as u32),
            (n, at) => s.report(Code::BadElementType, at, format!("{n} is out of range here")).refuse(),
        };
        let op = number(self, op)?;
        let layout = match layout {
            Some((size, align)) => Some((number(self, size)?, number(self, align)?.max(1))),
            None => None,
        };
        let mut list = Vec::new();
        for arg in operands {
            let ty = match arg {
                ast::TemplateArg::Type(t) => self.resolve(t),
                ast::TemplateArg::Expr(e) => {
                    let at = self.ast.expr(*e).span;
                    let help = "wrap a number: `vk::Literal<vk::integral_constant<uint, 1> >` for a literal, \
                                `vk::integral_constant<uint, 1>` for a constant";
                    let text = "an operand of a type is a type";
                    return self.report(Code::BadElementType, at, text).help(help).refuse();
                }
            };
            list.push(match self.types.get(ty) {
                Type::Error => return Err(Reported),
                Type::Constant { value, literal: true, .. } => SpirvOperand::Literal(value as u32),
                Type::Constant { ty, value, .. } => SpirvOperand::Const(ty, value),
                _ => SpirvOperand::Type(ty),
            });
        }
        Ok(self.types.spirv_type(SpirvType { op, layout, operands: list }))
    }

    /// `[[vk::ext_type_def(id, op)]]`: what a function of this name stands for.
    pub(super) fn ext_type_def(&mut self, attrs: &'a [ast::Attribute], takes: usize) {
        let Some((_, v)) = self.vk_ints(attrs, "ext_type_def") else { return };
        let Ok(op) = u32::try_from(v[1]) else { return };
        // With operands the type is known where the function is called.
        if takes == 0 {
            let ty = self.types.spirv_type(SpirvType { op, layout: None, operands: Vec::new() });
            self.ext_types.insert(v[0], ty);
        }
    }

    /// A call of a function that defines a type.
    pub(super) fn call_type_def(
        &mut self,
        attrs: &'a [ast::Attribute],
        args: &[Val],
        span: Span,
    ) -> Checked<Val> {
        let (_, v) = self.vk_ints(attrs, "ext_type_def").ok_or(Reported)?;
        let mut operands = Vec::new();
        for &arg in args {
            let at = self.val_span(arg);
            let value = self.load(arg);
            operands.push(SpirvOperand::Literal(match self.const_of(value) {
                Some(Const::Int(n)) => *n as u32,
                Some(Const::Bool(b)) => u32::from(*b),
                _ => {
                    let text = "an operand of a type must be constant";
                    return self.report(Code::NotConstant, at, text).refuse();
                }
            }));
        }
        let ty = self.types.spirv_type(SpirvType { op: v[1] as u32, layout: None, operands });
        self.ext_types.insert(v[0], ty);
        Ok(self.nothing(span))
    }

    /// The value of a call that is over once it is checked.
    fn nothing(&mut self, span: Span) -> Val {
        let int = self.scalar_ty(Scalar::I32);
        let zero = self.constant(Const::Int(0), int, span);
        Val::Value(self.node(ExprKind::Sequence(vec![zero]), Types::VOID, span))
    }

    /// A constant of the namespace.
    pub(super) fn vk_constant(&mut self, path: &ast::Path, span: Span) -> Option<Val> {
        let name = self.text(path.last().text);
        let &(_, value) = CONSTANTS.iter().find(|c| c.0 == name)?;
        let uint = self.scalar_ty(Scalar::U32);
        Some(Val::Value(self.constant(Const::Int(value), uint, span)))
    }

    /// A call of a function of the namespace.
    pub(super) fn vk_call(&mut self, path: &'a ast::Path, args: &[Val], span: Span) -> Checked<Val> {
        let name = self.text(path.last().text).to_string();
        let targs = path.args.as_deref().unwrap_or(&[]);
        if args.iter().any(|&a| self.is_error(self.val_ty(a))) {
            return Err(Reported);
        }
        let counts = match name.as_str() {
            "RawBufferLoad" => (1, 2),
            "RawBufferStore" => (2, 3),
            "ext_execution_mode" => (1, usize::MAX),
            _ => (1, 1),
        };
        if FUNCTIONS.contains(&name.as_str()) && !(counts.0..=counts.1).contains(&args.len()) {
            return self.wrong_count(&format!("vk::{name}"), counts, args.len(), span);
        }
        match name.as_str() {
            "RawBufferLoad" => self.raw_buffer(targs, args[0], None, args.get(1), span),
            "RawBufferStore" => self.raw_buffer(targs, args[0], Some(args[1]), args.get(2), span),
            "static_pointer_cast" => self.pointer_cast(targs, args[0], true, span),
            "reinterpret_pointer_cast" => self.pointer_cast(targs, args[0], false, span),
            "ext_execution_mode" => self.execution_mode(args, span),
            "ext_execution_mode_id" => {
                let message = "execution modes that take ids are not supported";
                self.report_if_reached(Code::NotSupported, span, message)
                    .help("their values would be known only when a pipeline is made, but hosts and other devices need the size of a group before")
                    .refuse()
            }
            "ReadClock" => {
                let uint = self.scalar_ty(Scalar::U32);
                let scope = self.implicit(args[0], uint, "the scope")?;
                if self.const_of(scope).is_none() {
                    let at = self.span(scope);
                    return self.report(Code::NotConstant, at, "the scope must be constant").refuse();
                }
                self.want_capability(SHADER_CLOCK);
                self.want_extension("SPV_KHR_shader_clock");
                let op = SpirvOp { code: READ_CLOCK, glsl: false };
                let ty = self.scalar_ty(Scalar::U64);
                Ok(Val::Value(self.node(ExprKind::Spirv(op, vec![SpirvArg::Value(scope)]), ty, span)))
            }
            _ => {
                let like = suggest::closest(&name, FUNCTIONS.iter().copied());
                let text = format!("function `vk::{name}` is not declared");
                let d = self.report(Code::Undeclared, path.span, text);
                d.label("not found in namespace `vk`");
                if let Some(like) = like {
                    d.help(format!("did you mean `vk::{like}`?"));
                }
                d.refuse()
            }
        }
    }

    /// `vk::ext_execution_mode(mode, literals…)`, of every entry point that reaches the function around.
    fn execution_mode(&mut self, args: &[Val], span: Span) -> Checked<Val> {
        let mut numbers = Vec::new();
        for &arg in args {
            let value = self.load(arg);
            let n = self.int_value(value, "an argument of `vk::ext_execution_mode`").ok_or(Reported)?;
            let Ok(n) = u32::try_from(n) else {
                let at = self.span(value);
                return self.report(Code::NoOverload, at, format!("{n} is out of range here")).refuse();
            };
            numbers.push(n);
        }
        if !self.mode_fits(numbers[0], args.len() - 1, span) {
            return Err(Reported);
        }
        self.f.modes.push((numbers[0], numbers.split_off(1)));
        Ok(self.nothing(span))
    }

    /// `[[vk::spvexecutionmode(n)]]` of a function: the same for modes without literals.
    pub(super) fn attributed_modes(&mut self, attrs: &'a [ast::Attribute]) {
        for a in attrs {
            if !self.is_vk(a) || self.text(a.name.text) != "spvexecutionmode" {
                continue;
            }
            let Some(v) = self.attr_ints(a, Args::Ints(1, 1), Code::BadVkAttribute) else { continue };
            match u32::try_from(v[0]) {
                Ok(mode) if self.mode_fits(mode, 0, a.span) => self.f.modes.push((mode, Vec::new())),
                Ok(_) => {}
                Err(_) => {
                    let message = format!("there is no execution mode {}", v[0]);
                    self.report(Code::BadVkAttribute, a.span, message);
                }
            }
        }
    }

    /// Whether compute kernels have a mode, and it takes so many literals.
    fn mode_fits(&mut self, mode: u32, given: usize, span: Span) -> bool {
        match MODES.iter().find(|(m, _)| m.0 == mode) {
            None => {
                let message = format!("execution mode {mode} is not supported in compute kernels");
                self.report_if_reached(Code::NotSupported, span, message)
                    .help("sizes of groups are given by `[numthreads]`");
                false
            }
            Some((_, count)) if *count != given => {
                let count = *count;
                let plural = if count == 1 { "" } else { "s" };
                let message = format!("execution mode {mode} takes {count} literal{plural}, not {given}");
                self.report(Code::NoOverload, span, message);
                false
            }
            Some(_) => true,
        }
    }

    /// `vk::RawBufferLoad<T>(address, align)` and `vk::RawBufferStore<T>(address, value, align)`
    fn raw_buffer(
        &mut self,
        targs: &'a [ast::TemplateArg],
        address: Val,
        stored: Option<Val>,
        align: Option<&Val>,
        span: Span,
    ) -> Checked<Val> {
        let elem = match targs {
            [] => self.scalar_ty(Scalar::U32),
            [ast::TemplateArg::Type(t)] => self.resolve(t),
            _ => {
                let text = "the template argument must be a type";
                return self.report(Code::NoOverload, span, text).refuse();
            }
        };
        self.can_be_pointed_to(elem, span)?;
        let align = match align {
            Some(&a) => {
                let at = self.val_span(a);
                let value = self.load(a);
                match self.const_of(value) {
                    Some(Const::Int(n)) if *n > 0 => (*n, at),
                    _ => {
                        let text = "the alignment must be a positive constant integer";
                        return self.report(Code::NotConstant, at, text).refuse();
                    }
                }
            }
            None => (4, span),
        };
        let pointer = self.pointer_to(elem, Some(align))?;
        let u64 = self.scalar_ty(Scalar::U64);
        let address = self.implicit(address, u64, "the address")?;
        let address = self.node(ExprKind::Convert(Conversion::Pointer, address), pointer, span);
        let place = self.place(PlaceKind::Deref(address), elem, span);
        let Some(v) = stored else { return Ok(Val::Value(self.node(ExprKind::Load(place), elem, span))) };
        let value = self.load(v);
        let e = self.store(place, value, "the value", span)?;
        Ok(Val::Value(self.node(ExprKind::Sequence(vec![e]), Types::VOID, span)))
    }

    /// `vk::static_pointer_cast<T, align>(p)`: between a structure and its bases; the other kind: between any types.
    fn pointer_cast(
        &mut self,
        targs: &'a [ast::TemplateArg],
        v: Val,
        stays: bool,
        span: Span,
    ) -> Checked<Val> {
        let to = self.vk_template("BufferPointer", targs, span)?;
        let value = self.load(v);
        let from = self.ty(value);
        let (
            Type::BufferPointer { elem: a, align: x, order: p },
            Type::BufferPointer { elem: b, align: y, order: q },
        ) = (self.types.get(from), self.types.get(to))
        else {
            let text = format!("`{}` is no `vk::BufferPointer`", self.type_name(from));
            return self.report(Code::BadCast, self.span(value), text).refuse();
        };
        let related = a == b
            || matches!((self.types.get(a), self.types.get(b)), (Type::Struct(s), Type::Struct(t))
                if self.types.base_distance(s, t).is_some() || self.types.base_distance(t, s).is_some());
        if stays && !related {
            let (a, b) = (self.type_name(a), self.type_name(b));
            return self
                .report(Code::BadCast, span, format!("`{a}` is no base of `{b}`, nor the other way round"))
                .help("`vk::reinterpret_pointer_cast` casts between any types")
                .refuse();
        }
        let x = if x == 0 { self.own_alignment(a, p) } else { x };
        let y = if y == 0 { self.own_alignment(b, q) } else { y };
        if y > x {
            return self
                .report(Code::BadCast, span, format!("the cast raises the alignment from {x} to {y}"))
                .help("a pointer that is less aligned cannot be known to be more aligned")
                .refuse();
        }
        Ok(Val::Value(self.node(ExprKind::Convert(Conversion::Pointer, value), to, span)))
    }

    /// A method of a pointer: `Get()` is what it points to.
    pub(super) fn pointer_method(
        &mut self,
        object: Val,
        elem: TypeId,
        name: ast::Name,
        args: &[Val],
        span: Span,
    ) -> Checked<Val> {
        if self.text(name.text) != "Get" {
            let shown = self.type_name(self.val_ty(object));
            let text = format!("`{shown}` has no method `{}`", self.text(name.text));
            let help = "`Get()` is what the pointer points to";
            return self.report(Code::NoMethod, name.span, text).help(help).refuse();
        }
        if !args.is_empty() {
            return self.wrong_count("Get", (0, 0), args.len(), span);
        }
        let pointer = self.load(object);
        Ok(Val::Place(self.place(PlaceKind::Deref(pointer), elem, span)))
    }

    /// Notes that the module declares a capability.
    pub(super) fn want_capability(&mut self, n: u32) {
        if !self.capabilities.contains(&n) {
            self.capabilities.push(n);
        }
    }

    /// Notes that the module declares an extension.
    pub(super) fn want_extension(&mut self, name: &str) {
        if !self.extensions.iter().any(|e| e == name) {
            self.extensions.push(name.into());
        }
    }
}
