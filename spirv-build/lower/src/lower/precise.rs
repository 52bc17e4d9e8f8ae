//! Which expressions of a function flow into something `precise`.
//!
//! As in dxc, what is `precise` is a variable, a parameter, a member of a structure or a function's result. All arithmetic whose
//! result reaches one within the function must not be contracted: through variables that are not `precise` themselves, but
//! not through calls (a parameter may be `precise` on its own), memory of buffers, or the conditions of branches.

use crate::hlsl::hir::{self, Arg, Block, ExprId, ExprKind, GlobalId, LocalId};
use crate::hlsl::hir::{PlaceId, PlaceKind, SpirvArg, StmtKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which expressions of a function are not to be contracted.
#[derive(Clone, Debug, Default)]
pub(super) enum Precision {
    /// None.
    #[default]
    Free,
    /// All (`-Gis`).
    Strict,
    /// Those that are marked.
    Marked(Vec<bool>),
}

impl Precision {
    /// Whether an expression is one of them.
    pub(super) fn of(&self, e: ExprId) -> bool {
        match self {
            Precision::Free => false,
            Precision::Strict => true,
            Precision::Marked(list) => list.get(e.index()).copied().unwrap_or(false),
        }
    }
}

/// Storage that values flow through.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Root {
    Local(LocalId),
    Global(GlobalId),
}

/// Whether anything in a module is `precise`: most have nothing to be looked for.
pub(super) fn is_used(m: &hir::Module) -> bool {
    m.globals.iter().any(|g| g.precise)
        || m.functions.iter().any(|f| f.precise || f.locals.iter().any(|l| l.precise))
        || m.types.structs.iter().any(|s| s.fields.iter().any(|f| f.precise))
}

/// Finds the expressions of a function. The module is one in which something is `precise`.
pub(super) fn find(m: &hir::Module, f: &hir::Function) -> Precision {
    let mut flow = Flow {
        m,
        f,
        marked: vec![false; f.exprs.len()],
        roots: FxHashSet::default(),
        feeds: FxHashMap::default(),
        work: Vec::new(),
    };
    for (i, _) in (0..).zip(&f.locals).filter(|(_, l)| l.precise) {
        flow.roots.insert(Root::Local(LocalId(i)));
    }
    for (i, _) in (0..).zip(&m.globals).filter(|(_, g)| g.precise) {
        flow.roots.insert(Root::Global(GlobalId(i)));
    }
    flow.statements();
    flow.expressions();
    flow.run();
    Precision::Marked(flow.marked)
}

struct Flow<'h> {
    m: &'h hir::Module,
    f: &'h hir::Function,
    marked: Vec<bool>,
    /// Storage whose values must be precise.
    roots: FxHashSet<Root>,
    /// What is stored there.
    feeds: FxHashMap<Root, Vec<ExprId>>,
    /// Expressions to be marked.
    work: Vec<ExprId>,
}

impl<'h> Flow<'h> {
    /// Notes what declarations and returns do with values.
    fn statements(&mut self) {
        let mut blocks: Vec<&'h Block> = vec![&self.f.body];
        while let Some(block) = blocks.pop() {
            for s in &block.stmts {
                match &s.kind {
                    StmtKind::Local { local, init: Some(init) } => self.feed(Root::Local(*local), *init),
                    StmtKind::Return(Some(e)) if self.f.precise => self.work.push(*e),
                    StmtKind::Block(b) => blocks.push(b),
                    StmtKind::If { then, otherwise, .. } => {
                        blocks.push(then);
                        blocks.extend(otherwise);
                    }
                    StmtKind::Loop(l) => blocks.push(&l.body),
                    StmtKind::Switch(s) => blocks.extend(s.cases.iter().map(|c| &c.body)),
                    _ => {}
                }
            }
        }
    }

    /// Notes what assignments and calls do with values.
    fn expressions(&mut self) {
        for e in &self.f.exprs {
            match &e.kind {
                ExprKind::Assign { place, value } => self.write(*place, *value),
                ExprKind::Update { place, operand, value, .. } => {
                    self.write(*place, *value);
                    if let Some(operand) = operand {
                        self.write(*place, *operand);
                    }
                }
                ExprKind::Call(callee, args) => {
                    let params = &self.m.function(*callee).locals;
                    for (arg, _) in args.iter().zip(params).filter(|(_, p)| p.precise) {
                        match arg {
                            Arg::In(value) => self.work.push(*value),
                            Arg::Out { place, .. } | Arg::InOut { place, .. } | Arg::Ref(place) => {
                                self.demand(*place);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn feed(&mut self, root: Root, value: ExprId) {
        if self.roots.contains(&root) {
            self.work.push(value);
        } else {
            self.feeds.entry(root).or_default().push(value);
        }
    }

    /// A value is stored in a place.
    fn write(&mut self, place: PlaceId, value: ExprId) {
        let (root, precise) = self.root(place);
        if precise {
            self.work.push(value);
        } else if let Some(root) = root {
            self.feed(root, value);
        }
    }

    /// What a place is part of, and whether a member on the way there is `precise`.
    fn root(&self, mut place: PlaceId) -> (Option<Root>, bool) {
        let mut precise = false;
        loop {
            place = match self.f.place(place).kind {
                PlaceKind::Local(l) => return (Some(Root::Local(l)), precise),
                PlaceKind::Global(g) => return (Some(Root::Global(g)), precise),
                PlaceKind::Field(base, n) => {
                    if let hir::Type::Struct(s) = self.m.types.get(self.f.place(base).ty) {
                        let fields = &self.m.types.structure(s).fields;
                        precise |= fields.get(n as usize).is_some_and(|f| f.precise);
                    }
                    base
                }
                PlaceKind::Index(base, _)
                | PlaceKind::Swizzle(base, _)
                | PlaceKind::MatrixSwizzle(base, _)
                | PlaceKind::Bits(base, _)
                | PlaceKind::After(_, base) => base,
                _ => return (None, precise),
            };
        }
    }

    /// What a place holds must be precise.
    fn demand(&mut self, place: PlaceId) {
        if let (Some(root), _) = self.root(place)
            && self.roots.insert(root)
        {
            self.work.extend(self.feeds.remove(&root).unwrap_or_default());
        }
    }

    fn run(&mut self) {
        while let Some(id) = self.work.pop() {
            if std::mem::replace(&mut self.marked[id.index()], true) {
                continue;
            }
            match &self.f.expr(id).kind {
                ExprKind::Load(place) => self.demand(*place),
                ExprKind::Unary(_, a)
                | ExprKind::Convert(_, a)
                | ExprKind::Swizzle(a, _)
                | ExprKind::MatrixSwizzle(a, _)
                | ExprKind::Extract(a, _) => self.work.push(*a),
                ExprKind::Binary(_, a, b) => self.work.extend([a, b]),
                ExprKind::Ternary { then, otherwise, .. } => self.work.extend([then, otherwise]),
                ExprKind::Construct(parts) | ExprKind::Intrinsic(_, parts) => self.work.extend(parts),
                ExprKind::Sequence(parts) => self.work.extend(parts.last()),
                ExprKind::Assign { value, .. } | ExprKind::Atomic { value, .. } => self.work.push(*value),
                ExprKind::Update { place, operand, value, .. } => {
                    self.work.push(*value);
                    self.work.extend(operand);
                    self.demand(*place);
                }
                ExprKind::Spirv(_, args) => {
                    for a in args {
                        match a {
                            SpirvArg::Value(v) => self.work.push(*v),
                            SpirvArg::Reference(place) => self.demand(*place),
                            SpirvArg::Literal(_) | SpirvArg::Type(_) => {}
                        }
                    }
                }
                ExprKind::Const(_)
                | ExprKind::Zero
                | ExprKind::Current
                | ExprKind::Operand
                | ExprKind::ShortCircuit { .. }
                | ExprKind::Call(..)
                | ExprKind::TextureLoad { .. }
                | ExprKind::Sample(_)
                | ExprKind::Query { .. }
                | ExprKind::Counter { .. }
                | ExprKind::Printf { .. }
                | ExprKind::Barrier(_) => {}
            }
        }
    }
}
