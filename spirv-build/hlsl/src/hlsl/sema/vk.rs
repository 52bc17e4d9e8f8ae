//! The namespace `vk` that is always there: its types, functions and constants.
use super::convert::How;
use super::{Sema, Val};
use crate::diag::Code;
use crate::diag::suggest;
use crate::hlsl::ast;
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
        Some(match name.as_str() {
            "BufferPointer" => self.buffer_pointer(args, path.span),
            "SpirvType" => self.spirv_type(args, true, path.span),
            "SpirvOpaqueType" => self.spirv_type(args, false, path.span),
            "ext_type" => match args {
                [arg] => match self.template_int(arg) {
                    Some((id, at)) => match self.ext_types.get(&id) {
                        Some(&ty) => ty,
                        None => {
                            self.report(Code::UnknownType, at, format!("there is no `ext_type_def` {id}"));
                            Types::ERROR
                        }
                    },
                    None => Types::ERROR,
                },
                _ => self.wrong_type_args(path.span, "vk::ext_type", "one number"),
            },
            "ext_result_id" => match args {
                [ast::TemplateArg::Type(t)] => self.resolve(t),
                _ => self.wrong_type_args(path.span, "vk::ext_result_id", "one type"),
            },
            "integral_constant" => match args {
                [ast::TemplateArg::Type(t), value] => {
                    let ty = self.resolve(t);
                    match self.template_int(value) {
                        Some((value, _)) => self.types.intern(Type::Constant { ty, value, literal: false }),
                        None => Types::ERROR,
                    }
                }
                _ => self.wrong_type_args(path.span, "vk::integral_constant", "a type and a value"),
            },
            "Literal" => match args {
                [ast::TemplateArg::Type(t)] => {
                    let ty = self.resolve(t);
                    match self.types.get(ty) {
                        Type::Constant { ty, value, .. } => {
                            self.types.intern(Type::Constant { ty, value, literal: true })
                        }
                        Type::Error => Types::ERROR,
                        _ => self.wrong_type_args(path.span, "vk::Literal", "a `vk::integral_constant`"),
                    }
                }
                _ => self.wrong_type_args(path.span, "vk::Literal", "a `vk::integral_constant`"),
            },
            "SubpassInput" | "SubpassInputMS" => self.foreign_type(&name, args, path.span),
            _ => {
                let object = crate::hlsl::builtin::sampled_texture(&name)?;
                self.object_type(object, path, &format!("vk::{name}"))
            }
        })
    }

    fn wrong_type_args(&mut self, span: Span, name: &str, want: &str) -> TypeId {
        self.report(Code::BadElementType, span, format!("`{name}` takes {want}"));
        Types::ERROR
    }

    /// `vk::BufferPointer<T, align>`
    fn buffer_pointer(&mut self, args: &'a [ast::TemplateArg], span: Span) -> TypeId {
        let (Some(ast::TemplateArg::Type(t)), true) = (args.first(), args.len() <= 2) else {
            return self.wrong_type_args(span, "vk::BufferPointer", "a type and perhaps its alignment");
        };
        let elem = self.resolve(t);
        if self.is_error(elem) {
            return Types::ERROR;
        }
        if elem == Types::VOID || self.types.contains_resource(elem) || self.types.is_opaque(elem) {
            let name = self.type_name(elem);
            self.report(Code::BadElementType, t.span, format!("a buffer cannot hold `{name}`"));
            return Types::ERROR;
        }
        let align = match args.get(1) {
            Some(arg) => match self.template_int(arg) {
                Some((n, at)) => Some((n, at)),
                None => return Types::ERROR,
            },
            None => None,
        };
        self.pointer_to(elem, align)
    }

    /// A pointer type. Without an alignment, or with 0, it is the type's own, which stays 0: the type may not be whole yet.
    fn pointer_to(&mut self, elem: TypeId, align: Option<(i64, Span)>) -> TypeId {
        let order = self.options.matrix_order;
        let own = self.own_alignment(elem, order);
        let align = match align {
            Some((n, at)) if n != 0 && (!(1..=MAX_ALIGN).contains(&n) || n & (n - 1) != 0) => {
                self.report(Code::BadElementType, at, format!("{n} is no alignment: a power of two is one"));
                return Types::ERROR;
            }
            Some((n, _)) if n > 0 && n as u32 != own => n as u32,
            _ => 0,
        };
        self.types.intern(Type::BufferPointer { elem, align, order })
    }

    /// The alignment of a type in a buffer.
    fn own_alignment(&self, ty: TypeId, order: MatrixOrder) -> u32 {
        Layout::new(&self.types, Rules::Storage).extent(ty, order).align.max(1) as u32
    }

    /// `vk::SpirvType<op, size, align, operands…>`, `vk::SpirvOpaqueType<op, operands…>`
    fn spirv_type(&mut self, args: &'a [ast::TemplateArg], sized: bool, span: Span) -> TypeId {
        let fixed = if sized { 3 } else { 1 };
        if args.len() < fixed {
            let (name, want) = match sized {
                true => ("vk::SpirvType", "an instruction, a size, an alignment and operands"),
                false => ("vk::SpirvOpaqueType", "an instruction and operands"),
            };
            return self.wrong_type_args(span, name, want);
        }
        let mut numbers = Vec::new();
        for arg in &args[..fixed] {
            match self.template_int(arg) {
                Some((n, _)) if (0..=i64::from(u16::MAX)).contains(&n) => numbers.push(n as u32),
                Some((n, at)) => {
                    self.report(Code::BadElementType, at, format!("{n} is out of range here"));
                    return Types::ERROR;
                }
                None => return Types::ERROR,
            }
        }
        let mut operands = Vec::new();
        for arg in &args[fixed..] {
            let ty = match arg {
                ast::TemplateArg::Type(t) => self.resolve(t),
                ast::TemplateArg::Expr(e) => {
                    let at = self.ast.expr(*e).span;
                    self.report(Code::BadElementType, at, "an operand of a type is a type").help(
                        "wrap a number: `vk::Literal<vk::integral_constant<uint, 1> >` for a literal, \
                         `vk::integral_constant<uint, 1>` for a constant",
                    );
                    return Types::ERROR;
                }
            };
            operands.push(match self.types.get(ty) {
                Type::Error => return Types::ERROR,
                Type::Constant { value, literal: true, .. } => SpirvOperand::Literal(value as u32),
                Type::Constant { ty, value, .. } => SpirvOperand::Const(ty, value),
                _ => SpirvOperand::Type(ty),
            });
        }
        let layout = sized.then(|| (numbers[1], numbers[2].max(1)));
        self.types.spirv_type(SpirvType { op: numbers[0], layout, operands })
    }

    /// `[[vk::ext_type_def(id, op)]]`: what a function of this name stands for.
    pub(super) fn ext_type_def(&mut self, attrs: &'a [ast::Attribute], takes: usize) {
        let Some(a) = self.find_vk(attrs, "ext_type_def") else { return };
        let Some(v) = self.attr_ints(a, 2..=2, Code::BadVkAttribute) else { return };
        let Ok(op) = u32::try_from(v[1]) else { return };
        // With operands the type is known where the function is called.
        if takes == 0 {
            let ty = self.types.spirv_type(SpirvType { op, layout: None, operands: Vec::new() });
            self.ext_types.insert(v[0], ty);
        }
    }

    /// A call of a function that defines a type.
    pub(super) fn call_type_def(&mut self, attrs: &'a [ast::Attribute], args: &[Val], span: Span) -> Val {
        let v =
            self.find_vk(attrs, "ext_type_def").and_then(|a| self.attr_ints(a, 2..=2, Code::BadVkAttribute));
        let Some(v) = v else { return Val::Value(self.error_value(span)) };
        let mut operands = Vec::new();
        for &arg in args {
            let at = self.val_span(arg);
            let value = self.load(arg);
            match self.const_of(value) {
                Some(Const::Int(n)) => operands.push(SpirvOperand::Literal(*n as u32)),
                Some(Const::Bool(b)) => operands.push(SpirvOperand::Literal(u32::from(*b))),
                _ => {
                    self.report(Code::NotConstant, at, "an operand of a type must be constant");
                    return Val::Value(self.error_value(span));
                }
            }
        }
        let ty = self.types.spirv_type(SpirvType { op: v[1] as u32, layout: None, operands });
        self.ext_types.insert(v[0], ty);
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
    pub(super) fn vk_call(&mut self, path: &'a ast::Path, args: Vec<Val>, span: Span) -> Val {
        let name = self.text(path.last().text).to_string();
        let targs = path.args.as_deref().unwrap_or(&[]);
        if args.iter().any(|&a| self.is_error(self.val_ty(a))) {
            return Val::Value(self.error_value(span));
        }
        match name.as_str() {
            "RawBufferLoad" => self.raw_buffer(targs, &args, false, span),
            "RawBufferStore" => self.raw_buffer(targs, &args, true, span),
            "static_pointer_cast" | "reinterpret_pointer_cast" => {
                self.pointer_cast(targs, &args, name == "static_pointer_cast", span)
            }
            "ext_execution_mode" => self.execution_mode(&args, span),
            "ext_execution_mode_id" => {
                let message = "execution modes that take ids are not supported";
                self.report_if_reached(Code::NotSupported, span, message)
                    .help("their values would be known only when a pipeline is made, but hosts and other devices need the size of a group before");
                Val::Value(self.error_value(span))
            }
            "ReadClock" => {
                let [scope] = args.as_slice() else {
                    return self.wrong_count("vk::ReadClock", "1", args.len(), span);
                };
                let scope = self.load(*scope);
                let uint = self.scalar_ty(Scalar::U32);
                let scope = self.convert(scope, uint, How::Implicit, "the scope");
                if self.is_error(self.ty(scope)) {
                    return Val::Value(scope);
                }
                if self.const_of(scope).is_none() {
                    let at = self.span(scope);
                    self.report(Code::NotConstant, at, "the scope must be constant");
                    return Val::Value(self.error_value(span));
                }
                self.want_capability(SHADER_CLOCK);
                self.want_extension("SPV_KHR_shader_clock");
                let op = SpirvOp { code: READ_CLOCK, glsl: false };
                let ty = self.scalar_ty(Scalar::U64);
                Val::Value(self.node(ExprKind::Spirv(op, vec![SpirvArg::Value(scope)]), ty, span))
            }
            _ => {
                let like = suggest::closest(&name, FUNCTIONS.iter().copied());
                let d = self.report(
                    Code::Undeclared,
                    path.span,
                    format!("function `vk::{name}` is not declared"),
                );
                d.label("not found in namespace `vk`");
                if let Some(like) = like {
                    d.help(format!("did you mean `vk::{like}`?"));
                }
                Val::Value(self.error_value(span))
            }
        }
    }

    /// `vk::ext_execution_mode(mode, literals…)`, of every entry point that reaches the function around.
    fn execution_mode(&mut self, args: &[Val], span: Span) -> Val {
        let mut numbers = Vec::new();
        for &arg in args {
            let value = self.load(arg);
            let Some(n) = self.int_value(value, "an argument of `vk::ext_execution_mode`") else {
                return Val::Value(self.error_value(span));
            };
            match u32::try_from(n) {
                Ok(n) => numbers.push(n),
                Err(_) => {
                    let at = self.span(value);
                    self.report(Code::NoOverload, at, format!("{n} is out of range here"));
                    return Val::Value(self.error_value(span));
                }
            }
        }
        let Some((&mode, literals)) = numbers.split_first() else {
            return self.wrong_count("vk::ext_execution_mode", "1 or more", 0, span);
        };
        if !self.mode_fits(mode, literals.len(), span) {
            return Val::Value(self.error_value(span));
        }
        self.f.modes.push((mode, literals.to_vec()));
        let int = self.scalar_ty(Scalar::I32);
        let zero = self.constant(Const::Int(0), int, span);
        Val::Value(self.node(ExprKind::Sequence(vec![zero]), Types::VOID, span))
    }

    /// `[[vk::spvexecutionmode(n)]]` of a function: the same for modes without literals.
    pub(super) fn attributed_modes(&mut self, attrs: &'a [ast::Attribute]) {
        for a in attrs {
            if !self.is_vk(a) || self.text(a.name.text) != "spvexecutionmode" {
                continue;
            }
            let Some(v) = self.attr_ints(a, 1..=1, Code::BadVkAttribute) else { continue };
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
    fn raw_buffer(&mut self, targs: &'a [ast::TemplateArg], args: &[Val], store: bool, span: Span) -> Val {
        let least = if store { 2 } else { 1 };
        if args.len() < least || args.len() > least + 1 {
            let name = if store { "vk::RawBufferStore" } else { "vk::RawBufferLoad" };
            return self.wrong_count(name, &format!("{least} or {}", least + 1), args.len(), span);
        }
        let elem = match targs {
            [] => self.scalar_ty(Scalar::U32),
            [ast::TemplateArg::Type(t)] => self.resolve(t),
            _ => {
                self.report(Code::NoOverload, span, "the template argument must be a type");
                return Val::Value(self.error_value(span));
            }
        };
        if self.is_error(elem) {
            return Val::Value(self.error_value(span));
        }
        if elem == Types::VOID || self.types.contains_resource(elem) || self.types.is_opaque(elem) {
            let name = self.type_name(elem);
            self.report(Code::BadElementType, span, format!("a buffer cannot hold `{name}`"));
            return Val::Value(self.error_value(span));
        }
        let mut align = (4, span);
        if let Some(&a) = args.get(least) {
            let at = self.val_span(a);
            let value = self.load(a);
            match self.const_of(value) {
                Some(Const::Int(n)) if *n > 0 => align = (*n, at),
                _ => {
                    self.report(Code::NotConstant, at, "the alignment must be a positive constant integer");
                    return Val::Value(self.error_value(span));
                }
            }
        }
        let pointer = self.pointer_to(elem, Some(align));
        let u64 = self.scalar_ty(Scalar::U64);
        let address = self.load(args[0]);
        let address = self.convert(address, u64, How::Implicit, "the address");
        if self.is_error(pointer) || self.is_error(self.ty(address)) {
            return Val::Value(self.error_value(span));
        }
        let address = self.node(ExprKind::Convert(Conversion::Pointer, address), pointer, span);
        let place = self.place(PlaceKind::Deref(address), elem, span);
        if !store {
            return Val::Value(self.node(ExprKind::Load(place), elem, span));
        }
        let value = self.load(args[1]);
        let value = self.convert(value, elem, How::Implicit, "the value");
        if self.is_error(self.ty(value)) {
            return Val::Value(value);
        }
        let e = self.node(ExprKind::Assign { place, value }, elem, span);
        Val::Value(self.node(ExprKind::Sequence(vec![e]), Types::VOID, span))
    }

    /// `vk::static_pointer_cast<T, align>(p)`: between a structure and its bases; the other kind: between any types.
    fn pointer_cast(&mut self, targs: &'a [ast::TemplateArg], args: &[Val], stays: bool, span: Span) -> Val {
        let to = self.buffer_pointer(targs, span);
        let [v] = args else { return self.wrong_count("a cast of pointers", "1", args.len(), span) };
        let value = self.load(*v);
        let from = self.ty(value);
        let (
            Type::BufferPointer { elem: a, align: x, order: p },
            Type::BufferPointer { elem: b, align: y, order: q },
        ) = (self.types.get(from), self.types.get(to))
        else {
            if !self.is_error(to) {
                let (name, at) = (self.type_name(from), self.span(value));
                self.report(Code::BadCast, at, format!("`{name}` is no `vk::BufferPointer`"));
            }
            return Val::Value(self.error_value(span));
        };
        let related = a == b
            || matches!((self.types.get(a), self.types.get(b)), (Type::Struct(s), Type::Struct(t))
                if self.types.base_distance(s, t).is_some() || self.types.base_distance(t, s).is_some());
        if stays && !related {
            let (a, b) = (self.type_name(a), self.type_name(b));
            self.report(Code::BadCast, span, format!("`{a}` is no base of `{b}`, nor the other way round"))
                .help("`vk::reinterpret_pointer_cast` casts between any types");
            return Val::Value(self.error_value(span));
        }
        let x = if x == 0 { self.own_alignment(a, p) } else { x };
        let y = if y == 0 { self.own_alignment(b, q) } else { y };
        if y > x {
            self.report(Code::BadCast, span, format!("the cast raises the alignment from {x} to {y}"))
                .help("a pointer that is less aligned cannot be known to be more aligned");
            return Val::Value(self.error_value(span));
        }
        Val::Value(self.node(ExprKind::Convert(Conversion::Pointer, value), to, span))
    }

    /// A method of a pointer: `Get()` is what it points to.
    pub(super) fn pointer_method(
        &mut self,
        object: Val,
        elem: TypeId,
        name: ast::Name,
        args: &[Val],
        span: Span,
    ) -> Val {
        let text = self.text(name.text).to_string();
        if text != "Get" {
            let shown = self.type_name(self.val_ty(object));
            self.report(Code::NoMethod, name.span, format!("`{shown}` has no method `{text}`"))
                .help("`Get()` is what the pointer points to");
            return Val::Value(self.error_value(span));
        }
        if !args.is_empty() {
            return self.wrong_count("Get", "no", args.len(), span);
        }
        let pointer = self.load(object);
        Val::Place(self.place(PlaceKind::Deref(pointer), elem, span))
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
