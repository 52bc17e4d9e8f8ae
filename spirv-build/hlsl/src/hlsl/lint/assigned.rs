//! Variables that are read before they have a value, and `out` parameters that never get one.
//!
//! One walk along the control flow with three sets of variables (see [`State`]), a bit for each that is declared without a
//! value. A write to a part counts as one to the whole, and a call that may write as one that does.
use super::Lint;
use crate::diag::Code;
use crate::hlsl::hir::*;
use crate::source::Span;

/// Variables that are followed in one function.
const MAX_VARIABLES: usize = 64;
/// How deeply structures are looked into.
const MAX_DEPTH: u32 = 8;

/// What is known of the variables at one point: a bit each.
#[derive(Clone, Copy)]
struct State {
    /// Something on some way to here has written it.
    may: u64,
    /// It is written on every way, if each loop runs at least once and some case of each switch fits.
    usual: u64,
    /// It is written on every way.
    must: u64,
}

impl State {
    /// Where control does not come to: whatever one says of it is true.
    const NOWHERE: State = State { may: 0, usual: !0, must: !0 };

    fn join(self, other: State) -> State {
        State { may: self.may | other.may, usual: self.usual & other.usual, must: self.must & other.must }
    }

    fn write(&mut self, bit: u64) {
        self.may |= bit;
        self.usual |= bit;
        self.must |= bit;
    }
}

struct Walk<'a, 's, 'd> {
    f: &'a Function,
    lint: &'a mut Lint<'s>,
    /// The variables, by their bit.
    variables: &'d [LocalId],
    state: State,
    /// At what leaves the innermost statement, and goes on with the innermost loop.
    breaks: State,
    continues: State,
    /// At what leaves the function.
    returns: State,
    /// Those that something was said of.
    told: u64,
}

pub(super) fn run(module: &Module, f: &Function, lint: &mut Lint<'_>) {
    let mut variables = Vec::new();
    for (i, l) in f.locals.iter().take(f.params as usize).enumerate() {
        if l.mode == Some(ParamMode::Out) && !l.name.is_empty() && is_data(&module.types, l.ty, 0) {
            variables.push(LocalId(i as u32));
        }
    }
    let outs = variables.len();
    without_value(&f.body, &mut |l| {
        let local = f.local(l);
        // Of a constant without a value one is told anyway.
        if !local.name.starts_with('$') && !local.is_const && is_data(&module.types, local.ty, 0) {
            variables.push(l);
        }
    });
    variables.truncate(MAX_VARIABLES);
    if variables.is_empty() {
        return;
    }
    let state = State { may: 0, usual: 0, must: 0 };
    let nowhere = State::NOWHERE;
    let mut walk = Walk {
        f,
        lint,
        variables: &variables,
        state,
        breaks: nowhere,
        continues: nowhere,
        returns: nowhere,
        told: 0,
    };
    walk.block(&f.body);
    let end = walk.state.join(walk.returns);
    for (i, &l) in variables.iter().enumerate().take(outs) {
        let local = f.local(l);
        let never = end.may >> i & 1 == 0;
        // A function that never ends leaves nothing behind.
        let ends = end.must != !0;
        if never && ends && lint.is_own(local.span) {
            lint.report(
                Code::OutNotWritten,
                local.span,
                format!("`out` parameter `{}` is never written", local.name),
            )
            .label("undefined for the caller")
            .help("write it on every way through the function, or make it `inout`");
        }
    }
}

/// Whether a type is one of numbers: what resources and other objects are is never undefined.
fn is_data(types: &Types, ty: TypeId, depth: u32) -> bool {
    match types.get(ty) {
        Type::Array(of, _) => is_data(types, of, depth),
        Type::Struct(s) => {
            let fields = &types.structure(s).fields;
            depth < MAX_DEPTH && !fields.is_empty() && fields.iter().all(|f| is_data(types, f.ty, depth + 1))
        }
        _ => types.component(ty).is_some(),
    }
}

/// Variables that are declared without a value.
fn without_value(block: &Block, found: &mut impl FnMut(LocalId)) {
    for s in &block.stmts {
        match &s.kind {
            StmtKind::Local { local, init: None } => found(*local),
            StmtKind::Block(b) => without_value(b, found),
            StmtKind::If { then, otherwise, .. } => {
                without_value(then, found);
                otherwise.iter().for_each(|b| without_value(b, found));
            }
            StmtKind::Loop(l) => without_value(&l.body, found),
            StmtKind::Switch(s) => s.cases.iter().for_each(|c| without_value(&c.body, found)),
            _ => {}
        }
    }
}

impl Walk<'_, '_, '_> {
    fn bit(&self, local: LocalId) -> u64 {
        self.variables.iter().position(|v| *v == local).map_or(0, |i| 1 << i)
    }

    fn known(&self, e: ExprId) -> Option<bool> {
        match self.f.expr(e).kind {
            ExprKind::Const(Const::Bool(b)) => Some(b),
            _ => None,
        }
    }

    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Expr(e) => self.expr(*e),
            StmtKind::Local { local, init } => {
                init.iter().for_each(|e| self.expr(*e));
                // Each round of a loop around has a new one.
                let bit = if init.is_none() { self.bit(*local) } else { 0 };
                self.state = State {
                    may: self.state.may & !bit,
                    usual: self.state.usual & !bit,
                    must: self.state.must & !bit,
                };
            }
            StmtKind::Block(b) => self.block(b),
            StmtKind::If { cond, then, otherwise, .. } => {
                self.expr(*cond);
                let before = self.state;
                let known = self.known(*cond);
                if known == Some(false) {
                    self.state = State::NOWHERE;
                }
                self.block(then);
                let after = self.state;
                self.state = if known == Some(true) { State::NOWHERE } else { before };
                otherwise.iter().for_each(|b| self.block(b));
                self.state = self.state.join(after);
            }
            StmtKind::Loop(l) => self.looped(l),
            StmtKind::Switch(s) => self.switch(s),
            StmtKind::Break => {
                self.breaks = self.breaks.join(self.state);
                self.state = State::NOWHERE;
            }
            StmtKind::Continue => {
                self.continues = self.continues.join(self.state);
                self.state = State::NOWHERE;
            }
            StmtKind::Return(e) => {
                e.iter().for_each(|e| self.expr(*e));
                self.returns = self.returns.join(self.state);
                self.state = State::NOWHERE;
            }
        }
    }

    fn looped(&mut self, l: &Loop) {
        let outer = (self.breaks, self.continues);
        (self.breaks, self.continues) = (State::NOWHERE, State::NOWHERE);
        // What a round writes, the next one may read.
        let mut writes = 0;
        let mut note = |local| writes |= self.bit(local);
        written(self.f, &l.body, &mut note);
        l.cond.iter().chain(&l.step).for_each(|e| written_in(self.f, *e, &mut note));
        if self.state.must != !0 {
            self.state.may |= writes;
        }
        let endless = l.cond.is_none_or(|c| self.known(c) == Some(true));
        if !l.test_after {
            l.cond.iter().for_each(|c| self.expr(*c));
        }
        let skipped = self.state;
        self.block(&l.body);
        self.state = self.state.join(self.continues);
        l.step.iter().for_each(|e| self.expr(*e));
        if l.test_after {
            l.cond.iter().for_each(|c| self.expr(*c));
        }
        let round = self.state;
        let mut after = if endless { State::NOWHERE } else { round };
        if !endless && !l.test_after {
            // A loop that runs no round: what is written in it is usually written.
            after.may |= skipped.may;
            after.must &= skipped.must;
        }
        after = after.join(self.breaks);
        (self.breaks, self.continues) = outer;
        self.state = after;
    }

    fn switch(&mut self, s: &Switch) {
        self.expr(s.value);
        let outer = std::mem::replace(&mut self.breaks, State::NOWHERE);
        let before = self.state;
        let mut through = State::NOWHERE;
        for case in &s.cases {
            self.state = before.join(through);
            self.block(&case.body);
            through = if case.falls_through { self.state } else { State::NOWHERE };
        }
        let mut after = through.join(self.breaks);
        if s.cases.iter().all(|c| !c.is_default) {
            after.may |= before.may;
            after.must &= before.must;
            if s.cases.is_empty() {
                after = before;
            }
        }
        self.breaks = outer;
        self.state = after;
    }

    fn expr(&mut self, id: ExprId) {
        let e = self.f.expr(id);
        match &e.kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::Current | ExprKind::Operand => {}
            ExprKind::Load(p) => {
                self.indices(*p);
                self.read(*p, e.span);
            }
            ExprKind::Unary(_, a)
            | ExprKind::Convert(_, a)
            | ExprKind::Swizzle(a, _)
            | ExprKind::Extract(a, _) => {
                self.expr(*a);
            }
            ExprKind::MatrixSwizzle(a, _) => self.expr(*a),
            ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| self.expr(*e)),
            ExprKind::ShortCircuit { lhs, rhs, .. } => {
                self.expr(*lhs);
                let before = self.state;
                self.expr(*rhs);
                self.state = self.state.join(before);
            }
            ExprKind::Ternary { cond, then, otherwise } => {
                self.expr(*cond);
                let before = self.state;
                self.expr(*then);
                let after = std::mem::replace(&mut self.state, before);
                self.expr(*otherwise);
                self.state = self.state.join(after);
            }
            ExprKind::Construct(list) | ExprKind::Intrinsic(_, list) | ExprKind::Sequence(list) => {
                list.iter().for_each(|e| self.expr(*e));
            }
            ExprKind::Printf { args, .. } => args.iter().for_each(|e| self.expr(*e)),
            ExprKind::Call(_, args) => {
                for a in args {
                    if let Arg::In(e) = a {
                        self.expr(*e);
                    }
                }
                for a in args {
                    if let Arg::Out { place, .. } | Arg::InOut { place, .. } | Arg::Ref(place) = a {
                        self.indices(*place);
                        self.write(*place);
                    }
                }
            }
            ExprKind::Assign { place, value } => {
                self.expr(*value);
                self.indices(*place);
                self.write(*place);
            }
            ExprKind::Update { place, operand, value, .. } => {
                operand.iter().for_each(|e| self.expr(*e));
                self.expr(*value);
                self.indices(*place);
                self.read(*place, e.span);
                self.write(*place);
            }
            ExprKind::TextureLoad { resource, coord, lod, sample, offset, status } => {
                self.indices(*resource);
                [Some(*coord), *lod, *sample, *offset].into_iter().flatten().for_each(|e| self.expr(e));
                status.iter().for_each(|p| self.write(*p));
            }
            ExprKind::Sample(s) => {
                self.indices(s.texture);
                s.sampler.iter().for_each(|p| self.indices(*p));
                s.values().for_each(|e| self.expr(e));
                s.status.iter().for_each(|p| self.write(*p));
            }
            ExprKind::Query { resource, lod, .. } => {
                self.indices(*resource);
                lod.iter().for_each(|e| self.expr(*e));
            }
            ExprKind::Atomic { place, value, compare, .. } => {
                self.indices(*place);
                self.expr(*value);
                compare.iter().for_each(|e| self.expr(*e));
                self.write(*place);
            }
            ExprKind::Counter { resource, .. } => self.indices(*resource),
            ExprKind::Barrier(_) => {}
            ExprKind::Spirv(_, args) => {
                for a in args {
                    match a {
                        SpirvArg::Value(e) => self.expr(*e),
                        SpirvArg::Reference(p) => {
                            self.indices(*p);
                            self.write(*p);
                        }
                        SpirvArg::Literal(_) | SpirvArg::Type(_) => {}
                    }
                }
            }
        }
    }

    /// Evaluates what a place is chosen by.
    fn indices(&mut self, place: PlaceId) {
        match self.f.place(place).kind {
            PlaceKind::Index(p, e) => {
                self.indices(p);
                self.expr(e);
            }
            PlaceKind::BufferElement { resource, index: e }
            | PlaceKind::ByteElement { resource, offset: e } => {
                self.indices(resource);
                self.expr(e);
            }
            PlaceKind::Texel { resource, coord, sample } => {
                self.indices(resource);
                self.expr(coord);
                sample.iter().for_each(|e| self.expr(*e));
            }
            PlaceKind::After(e, p) => {
                self.expr(e);
                self.indices(p);
            }
            PlaceKind::Deref(e) | PlaceKind::Temp(e) => self.expr(e),
            _ => self.f.place(place).kind.base().into_iter().for_each(|p| self.indices(p)),
        }
    }

    fn write(&mut self, place: PlaceId) {
        if let Some(local) = self.f.root_local(place) {
            let bit = self.bit(local);
            self.state.write(bit);
        }
    }

    fn read(&mut self, place: PlaceId, span: Span) {
        let Some(local) = self.f.root_local(place) else { return };
        let bit = self.bit(local);
        let missing = bit & !self.state.must & !self.told;
        if missing == 0 || !self.lint.is_own(span) {
            return;
        }
        let l = self.f.local(local);
        let (code, when) = match self.state {
            s if s.may & bit == 0 => (Code::Uninitialized, "has no value here"),
            s if s.usual & bit == 0 => (Code::SometimesUninitialized, "may have no value here"),
            _ => (Code::ConditionalUninitialized, "may have no value here"),
        };
        // One that may be missing is told of once it certainly is.
        if code == Code::Uninitialized {
            self.told |= bit;
        }
        let what = if l.mode.is_some() { "`out` parameter" } else { "variable" };
        self.lint
            .report(code, span, format!("{what} `{}` {when}", l.name))
            .label("read here")
            .secondary(l.span, "declared without a value")
            .help(match l.mode {
                Some(_) => "an `out` parameter has no value at first: make it `inout` to get the caller's"
                    .to_string(),
                None => format!("give `{}` a value where it is declared", l.name),
            });
    }
}

/// Variables that statements may write.
fn written(f: &Function, block: &Block, found: &mut impl FnMut(LocalId)) {
    for s in &block.stmts {
        match &s.kind {
            StmtKind::Expr(e) | StmtKind::Local { init: Some(e), .. } | StmtKind::Return(Some(e)) => {
                written_in(f, *e, found);
            }
            StmtKind::Block(b) => written(f, b, found),
            StmtKind::If { cond, then, otherwise, .. } => {
                written_in(f, *cond, found);
                written(f, then, found);
                otherwise.iter().for_each(|b| written(f, b, found));
            }
            StmtKind::Loop(l) => {
                l.cond.iter().chain(&l.step).for_each(|e| written_in(f, *e, found));
                written(f, &l.body, found);
            }
            StmtKind::Switch(s) => {
                written_in(f, s.value, found);
                s.cases.iter().for_each(|c| written(f, &c.body, found));
            }
            _ => {}
        }
    }
}

/// Variables that an expression may write.
fn written_in(f: &Function, id: ExprId, found: &mut impl FnMut(LocalId)) {
    let mut place = |p: &PlaceId| f.root_local(*p).into_iter().for_each(&mut *found);
    match &f.expr(id).kind {
        ExprKind::Assign { place: p, value } => {
            place(p);
            written_in(f, *value, found);
        }
        ExprKind::Update { place: p, operand, value, .. } => {
            place(p);
            operand.iter().chain([value]).for_each(|e| written_in(f, *e, found));
        }
        ExprKind::Call(_, args) => {
            for a in args {
                match a {
                    Arg::In(e) => written_in(f, *e, found),
                    Arg::Out { place: p, .. } | Arg::InOut { place: p, .. } | Arg::Ref(p) => {
                        f.root_local(*p).into_iter().for_each(&mut *found);
                    }
                }
            }
        }
        ExprKind::Spirv(_, args) => {
            for a in args {
                match a {
                    SpirvArg::Value(e) => written_in(f, *e, found),
                    SpirvArg::Reference(p) => f.root_local(*p).into_iter().for_each(&mut *found),
                    _ => {}
                }
            }
        }
        ExprKind::Atomic { place: p, value, .. } => {
            place(p);
            written_in(f, *value, found);
        }
        ExprKind::TextureLoad { status, coord, .. } => {
            status.iter().for_each(place);
            written_in(f, *coord, found);
        }
        ExprKind::Sample(s) => s.status.iter().for_each(place),
        ExprKind::Unary(_, a)
        | ExprKind::Convert(_, a)
        | ExprKind::Swizzle(a, _)
        | ExprKind::MatrixSwizzle(a, _)
        | ExprKind::Extract(a, _) => written_in(f, *a, found),
        ExprKind::Binary(_, a, b) | ExprKind::ShortCircuit { lhs: a, rhs: b, .. } => {
            [a, b].into_iter().for_each(|e| written_in(f, *e, found));
        }
        ExprKind::Ternary { cond, then, otherwise } => {
            [cond, then, otherwise].into_iter().for_each(|e| written_in(f, *e, found));
        }
        ExprKind::Construct(list) | ExprKind::Intrinsic(_, list) | ExprKind::Sequence(list) => {
            list.iter().for_each(|e| written_in(f, *e, found));
        }
        _ => {}
    }
}
