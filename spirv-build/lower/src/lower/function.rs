//! Functions: signatures, specialization, calls, entry points.

use super::place::Place;
use super::types::Form;
use super::{Lower, MAX_FUNCTIONS};
use crate::diag::Code;
use crate::hlsl::hir::Type as Hlsl;
use crate::hlsl::hir::{self, ExprId, ExprKind, FunctionId, GlobalId, Scalar, TypeId};
use crate::ir::{
    self, Block, Builder, ConstKind, EntryPoint, Func, Function, Inst, InstData, Op, Opcode, Operand,
    StorageClass, Type, Value,
};
use crate::source::Span;
use spirv_spec::{ExecutionMode, ExecutionModel};
use std::sync::Arc;

/// What a parameter is bound to. Functions are lowered once for each combination.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Bound {
    /// A value.
    Value,
    /// An array of resources of this type, where the parameter's has no length.
    Array(TypeId),
    /// A function-scope variable of the caller.
    Pointer,
    /// A place in a global. Each dynamic step takes a `uint` parameter.
    Path(GlobalId, Vec<Step>),
}

/// A step from a place to one inside it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Step {
    /// Field of a structure.
    Field(u32),
    /// Element at a known index.
    Index(u32),
    /// Element at an index known at run time.
    Dynamic,
    /// Element of a structured buffer, at an index known at run time.
    Element,
    /// Contents of a constant buffer.
    Block,
}

impl Step {
    pub(super) fn takes_value(self) -> bool {
        matches!(self, Step::Dynamic | Step::Element)
    }
}

/// A place in a global: root, steps, values of the dynamic ones.
pub(super) type Path = (GlobalId, Vec<Step>, Vec<Value>);

/// A function whose body is still to be lowered.
pub(super) struct Pending {
    id: FunctionId,
    bound: Vec<Bound>,
    func: Func,
}

/// What a local of the HIR is.
#[derive(Clone, Debug)]
pub(super) enum Local {
    /// Not declared yet.
    None,
    /// A variable, in the form of values.
    Variable(Value),
    /// A value that never changes, of a type that no variable can have.
    Value(Value),
    /// A variable with an array of resources of this type, where the declared type has no length.
    Array(Value, TypeId),
    /// Another name for a place in a global.
    Path(Path),
}

/// A function being lowered.
pub(super) struct Body<'a, 'h> {
    pub(super) l: &'a mut Lower<'h>,
    pub(super) f: &'h hir::Function,
    pub(super) func: Function,
    pub(super) block: Block,
    pub(super) span: Span,
    pub(super) locals: Vec<Local>,
    /// Values of [`ExprKind::Current`] and [`ExprKind::Operand`], innermost last.
    pub(super) current: Vec<Value>,
    pub(super) operand: Vec<Value>,
    /// Of each loop and switch around, whether a `break` leaves it; innermost last.
    pub(super) broken: Vec<bool>,
    /// Pointers to physical memory, with their alignment.
    pub(super) alignments: Vec<(Value, u32)>,
}

impl<'h> Lower<'h> {
    /// The IR function for a HIR function with parameters bound like this.
    pub(super) fn instance(&mut self, id: FunctionId, bound: Vec<Bound>, name: Option<String>) -> Func {
        let key = (id, bound);
        if let Some(f) = self.functions.get(&key) {
            return *f;
        }
        let f = self.hir.function(id);
        self.place = f.span;
        let result = self.value_type(f.ret);
        let mut function = Function::new(name.unwrap_or_else(|| f.name.clone()), result, f.span);
        if f.noinline {
            function.control = spirv_spec::FunctionControl::DONT_INLINE.bits();
        }
        let func = self.out.functions.push(function);
        if self.out.functions.len() > MAX_FUNCTIONS {
            let help = "fewer combinations of resources passed to functions";
            self.error(Code::TooMany, f.span, "too many functions", help);
        } else {
            self.pending.push(Pending { id, bound: key.1.clone(), func });
        }
        self.functions.insert(key, func);
        func
    }

    /// Lowers a body.
    pub(super) fn body(&mut self, next: Pending) {
        let void = self.out.ctx.types.void();
        let func = std::mem::replace(&mut self.out.functions[next.func], Function::new("", void, self.place));
        self.out.functions[next.func] = self.body_of(&next, func);
    }

    fn body_of(&mut self, next: &Pending, func: Function) -> Function {
        let hir = self.hir;
        let f = hir.function(next.id);
        let mut decorations = ir::Decorations::new();
        for (_, d) in f.decorations.iter().filter(|(of, _)| of.is_none()) {
            let d = super::globals::decoration(&mut self.out.ctx, d);
            decorations.add(d);
        }
        if f.precise {
            decorations.mark(spirv_spec::Decoration::NoContraction);
        }
        let mut types = Vec::new();
        for (local, bound) in f.locals.iter().zip(&next.bound) {
            self.param_types(local.ty, bound, &mut types);
        }
        let mut b = Body::new(self, f, func, &types);
        let mut params = b.func.params.clone().into_iter();
        for (i, bound) in next.bound.iter().enumerate() {
            let local = &f.locals[i];
            b.locals[i] = match bound {
                Bound::Path(g, steps) => {
                    let values = params.by_ref().take(steps.iter().filter(|s| s.takes_value()).count());
                    Local::Path((*g, steps.clone(), values.collect()))
                }
                Bound::Value => {
                    let Some(value) = params.next() else { continue };
                    b.func.values[value].name = Some(local.name.clone());
                    b.mark_precise(local, value);
                    if b.l.is_pointer_value(local.ty) {
                        b.locals[i] = Local::Value(value);
                        continue;
                    }
                    b.span = local.span;
                    let ptr = b.local_variable(local.ty, &local.name);
                    b.b().store(ptr, value);
                    Local::Variable(ptr)
                }
                Bound::Array(own) => {
                    let Some(value) = params.next() else { continue };
                    let ptr = b.local_variable(*own, &local.name);
                    b.b().store(ptr, value);
                    Local::Array(ptr, *own)
                }
                Bound::Pointer => {
                    let Some(ptr) = params.next() else { continue };
                    b.func.values[ptr].name = Some(local.name.clone());
                    Local::Variable(ptr)
                }
            };
        }
        let goes_on = b.stmts(&f.body);
        b.decorate_locals();
        if goes_on {
            b.end_of_function();
        }
        b.func.place_variables();
        b.func.decorations = decorations;
        b.func
    }

    /// Types of the parameters that a binding takes.
    fn param_types(&mut self, ty: TypeId, bound: &Bound, out: &mut Vec<Type>) {
        match bound {
            Bound::Path(_, steps) => {
                let uint = self.out.ctx.types.u32();
                out.extend(steps.iter().filter(|s| s.takes_value()).map(|_| uint));
            }
            Bound::Value => out.push(self.value_type(ty)),
            Bound::Array(own) => out.push(self.value_type(*own)),
            Bound::Pointer => {
                let ty = self.value_type(ty);
                out.push(self.out.ctx.types.pointer(ty, StorageClass::Function));
            }
        }
    }

    /// Makes the wrapper of an entry point.
    pub(super) fn entry_point(&mut self, entry: &'h hir::EntryPoint) {
        let hir = self.hir;
        let f = hir.function(entry.function);
        let bound = vec![Bound::Value; f.params as usize];
        let inner = self.instance(entry.function, bound, Some(format!("src.{}", entry.name)));
        let init = hir.module.initializer;
        let init = init.map(|id| self.instance(id, Vec::new(), None));
        let void = self.out.ctx.types.void();
        let func = Function::new(entry.name.clone(), void, entry.span);
        let mut b = Body::new(self, f, func, &[]);
        if let Some(init) = init {
            b.b().call(init, void, &[]);
        }
        let mut args = Vec::new();
        for (i, param) in f.locals.iter().take(f.params as usize).enumerate() {
            let mut inputs = entry.inputs.iter().filter(|input| input.param.index() == i);
            let value = match inputs.clone().next() {
                Some(input) if input.path.is_empty() => b.system_value(input),
                _ => {
                    let ptr = b.local_variable(param.ty, &param.name);
                    for input in inputs.by_ref() {
                        let value = b.system_value(input);
                        let mut place = Place::Pointer { ptr, ty: param.ty, form: Form::Value };
                        for field in &input.path {
                            place = b.field(place, *field);
                        }
                        b.store(&place, value);
                    }
                    b.b().load(ptr)
                }
            };
            args.push(value);
        }
        // It stands for the function itself: no source calls it.
        b.span = entry.span;
        b.b().call(inner, void, &args);
        b.b().push(Op::Return, &[]);
        let mut func = b.func;
        func.place_variables();
        let func = self.out.functions.push(func);
        let wave = entry.wave_size.map(|w| ir::WaveSize { least: w.least, most: w.most, wanted: w.wanted });
        let modes = entry.modes.iter().map(|(n, list)| ir::Mode::words(ExecutionMode(*n), list)).collect();
        self.out.entry_points.push(EntryPoint {
            func,
            name: entry.name.clone(),
            model: ExecutionModel::GLCompute,
            local_size: entry.numthreads,
            modes,
            interface: Vec::new(),
            named: Vec::new(),
            wave,
        });
    }
}

impl<'a, 'h> Body<'a, 'h> {
    fn new(l: &'a mut Lower<'h>, f: &'h hir::Function, mut func: Function, params: &[Type]) -> Body<'a, 'h> {
        func.reserve(f.exprs.len());
        let block = func.make_body(params);
        func.gather_variables();
        let span = func.span;
        let locals = vec![Local::None; f.locals.len()];
        Body {
            l,
            f,
            func,
            block,
            span,
            locals,
            current: Vec::new(),
            operand: Vec::new(),
            broken: Vec::new(),
            alignments: Vec::new(),
        }
    }

    /// Marks what a `precise` local is: what reaches it must not be contracted (`passes::precise`).
    fn mark_precise(&mut self, local: &hir::Local, v: Value) {
        if local.precise {
            self.func.decorate(v, ir::Decoration::plain(spirv_spec::Decoration::NoContraction));
        }
    }

    /// Decorates the variables of parameters and locals as the source says by number, and those that are `precise`.
    fn decorate_locals(&mut self) {
        let f = self.f;
        for (i, local) in f.locals.iter().enumerate() {
            if let Local::Variable(ptr) = self.locals[i] {
                self.mark_precise(local, ptr);
            }
        }
        for (local, d) in &f.decorations {
            let Some(local) = local else { continue };
            let Local::Variable(ptr) = self.locals[local.index()] else { continue };
            let decoration = super::globals::decoration(&mut self.l.out.ctx, d);
            self.func.decorate(ptr, decoration);
        }
    }

    /// A builder at the end of the current block.
    pub(super) fn b(&mut self) -> Builder<'_> {
        let mut b = Builder::new(&mut self.l.out.ctx, &mut self.func, self.block);
        b.span = self.span;
        b
    }

    pub(super) fn ty(&self, v: Value) -> Type {
        self.func.values[v].ty
    }

    /// Appends an instruction with mixed operands and a result.
    pub(super) fn value(&mut self, op: impl Into<Opcode>, ty: Type, operands: &[Operand]) -> Value {
        self.b().value(op, ty, operands)
    }

    pub(super) fn op(&mut self, op: impl Into<Opcode>, ty: Type, operands: &[Value]) -> Value {
        self.b().op(op, ty, operands)
    }

    pub(super) fn append(&mut self, data: InstData, results: &[Type]) -> Inst {
        self.b().append(data, results)
    }

    pub(super) fn undef(&mut self, ty: TypeId) -> Value {
        let ty = self.l.value_type(ty);
        self.b().undef(ty)
    }

    /// A constant of a value type by its bits.
    pub(super) fn bits(&mut self, ty: Type, bits: u64) -> Value {
        let c = self.l.out.ctx.splat(ty, ConstKind::Bits(bits));
        self.b().constant(c)
    }

    /// A variable in the form of values.
    pub(super) fn variable(&mut self, ty: TypeId, name: &str) -> Value {
        self.l.place = self.span;
        let ty = self.l.value_type(ty);
        let name = name.trim_start_matches('$');
        self.b().variable(ty, Some(name).filter(|n| !n.is_empty()))
    }

    /// As [`Self::variable`], with the name of a local.
    pub(super) fn local_variable(&mut self, ty: TypeId, name: &Arc<str>) -> Value {
        if name.is_empty() || name.starts_with('$') {
            return self.variable(ty, name);
        }
        self.l.place = self.span;
        let ty = self.l.value_type(ty);
        self.b().variable_named(ty, Some(name.clone()))
    }

    fn system_value(&mut self, input: &hir::EntryInput) -> Value {
        self.span = input.span;
        let g = self.l.input(input.value);
        let ty = self.l.out.globals[g].ty;
        let ptr = self.b().address_of(g, ty, StorageClass::Input);
        let all = self.b().load(ptr);
        let wanted = self.l.value_type(input.ty);
        let n = self.l.out.ctx.types.len_of(wanted);
        let cut = self.first_components(all, n);
        match self.l.component(input.ty) {
            Some(s) => self.cast(cut, Scalar::U32, s),
            None if self.ty(cut) == wanted => cut,
            None => self.op(Op::Bitcast, wanted, &[cut]),
        }
    }

    /// The first `n` components of a vector.
    pub(super) fn first_components(&mut self, v: Value, n: u8) -> Value {
        let at: Vec<u8> = (0..n).collect();
        self.shuffle(v, &at)
    }

    /// Components of a vector (or of a scalar, taken as one component).
    pub(super) fn shuffle(&mut self, v: Value, at: &[u8]) -> Value {
        let ty = self.ty(v);
        let types = &mut self.l.out.ctx.types;
        let (len, scalar) = (types.len_of(ty), types.scalar_of(ty));
        let result = types.vector(scalar, at.len() as u8);
        match at {
            _ if len == 1 && at.len() == 1 => v,
            _ if len == 1 => self.op(Op::CompositeConstruct, result, &vec![v; at.len()]),
            [one] => self.b().extract(v, scalar, &[u32::from(*one)]),
            _ if at.len() == usize::from(len) && at.iter().enumerate().all(|(i, c)| i == usize::from(*c)) => {
                v
            }
            _ => {
                let mut operands = vec![Operand::Id(v), Operand::Id(v)];
                operands.extend(at.iter().map(|c| Operand::Literal(u32::from(*c))));
                self.value(Op::VectorShuffle, result, &operands)
            }
        }
    }

    fn end_of_function(&mut self) {
        let ret = self.f.ret;
        if self.l.hlsl(ret) == Hlsl::Void {
            self.b().push(Op::Return, &[]);
        } else {
            // Only reached by a function that forgets to return a value; the checker warns.
            let value = self.undef(ret);
            self.b().push(Op::ReturnValue, &[Operand::Id(value)]);
        }
    }

    /// A 32-bit integer as `uint`.
    pub(super) fn as_uint(&mut self, v: Value) -> Value {
        let uint = self.l.out.ctx.types.u32();
        if self.ty(v) == uint { v } else { self.op(Op::Bitcast, uint, &[v]) }
    }

    /// The value of an index that is a constant.
    pub(super) fn known_index(&self, e: ExprId) -> Option<u32> {
        match &self.f.expr(e).kind {
            ExprKind::Const(hir::Const::Int(n)) => u32::try_from(*n).ok(),
            ExprKind::Zero => Some(0),
            _ => None,
        }
    }

    /// The scalar of a type's components, for types that have some.
    pub(super) fn component(&mut self, ty: TypeId, span: Span) -> Scalar {
        match self.l.component(ty) {
            Some(s) => s,
            None => {
                let name = self.l.types().name(ty);
                self.l.internal(span, format!("arithmetic on `{name}`"));
                Scalar::F32
            }
        }
    }
}

impl Lower<'_> {
    /// Whether a global is a variable (not a specialization constant).
    pub(super) fn is_variable(&self, g: GlobalId) -> bool {
        use super::globals::GlobalValue;
        matches!(self.globals.get(g.index()), Some(GlobalValue::Variable(..) | GlobalValue::Resource(_)))
    }

    /// The type of a pointer's object.
    pub(super) fn pointee(&self, ty: Type) -> Type {
        self.out.ctx.types.pointee(ty).map_or(ty, |p| p.0)
    }
}
