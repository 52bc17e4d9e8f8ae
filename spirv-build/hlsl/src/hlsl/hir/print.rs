//! The textual form of the HIR, for `--emit hir` and tests. Deterministic; types are spelled where they matter.
use super::*;
use crate::hlsl::headers::LIBRARY_NAMESPACE;
use std::fmt::Write;

/// Prints a module.
pub fn print(module: &Module) -> String {
    let library = module.functions.iter().filter(|f| is_library(&f.name)).count();
    let mut p = Printer { m: module, out: String::new(), indent: 0, library };
    p.module();
    p.out
}

struct Printer<'a> {
    m: &'a Module,
    out: String,
    indent: usize,
    /// How many functions are the library's; they come first, and do not count in the numbers.
    library: usize,
}

/// Whether a name is one that the library declares, which is the compiler's own.
fn is_library(name: &str) -> bool {
    name.starts_with(LIBRARY_NAMESPACE)
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.indent * 2);
    }

    /// The number of a function, the library's after the program's.
    fn number(&self, index: usize) -> usize {
        index.checked_sub(self.library).unwrap_or(self.m.functions.len() - self.library + index)
    }

    fn ty(&self, ty: TypeId) -> String {
        self.m.types.name(ty)
    }

    fn module(&mut self) {
        for s in self.m.types.structs.iter().filter(|s| !is_library(&s.name)) {
            self.line(&format!("struct {} {{", s.name));
            for f in &s.fields {
                let order = if f.order == MatrixOrder::RowMajor { "row_major " } else { "" };
                let mut text = format!("  {order}{}: {}", f.name, self.ty(f.ty));
                if let Some(semantic) = &f.semantic {
                    let _ = write!(text, " : {semantic}");
                }
                self.line(&text);
            }
            self.line("}");
        }
        for e in &self.m.types.enums {
            let values: Vec<_> = e.values.iter().map(|(n, v)| format!("{n} = {v}")).collect();
            self.line(&format!("enum {}: {} {{ {} }}", e.name, e.scalar.name(), values.join(", ")));
        }
        for g in self.m.globals.iter().filter(|g| !is_library(&g.name)) {
            self.global(g);
        }
        for (i, f) in self.m.functions.iter().enumerate().filter(|(_, f)| !is_library(&f.name)) {
            self.function(i, f);
        }
        if let Some(init) = self.m.initializer {
            self.line(&format!("initializer @{}", self.m.function(init).name));
        }
        for e in &self.m.entry_points {
            let [x, y, z] = e.numthreads;
            let f = self.m.function(e.function);
            let modes: String =
                e.modes.iter().map(|(n, operands)| format!(" mode {n}{operands:?}")).collect();
            self.line(&format!("entry {} numthreads({x}, {y}, {z}){modes}", e.name));
            match e.wave_size {
                Some(WaveSize { least, most, .. }) if least == most => {
                    self.line(&format!("  wave size {least}"));
                }
                Some(WaveSize { least, most, wanted }) => {
                    let wanted = wanted.map_or(String::new(), |n| format!(", {n} wanted"));
                    self.line(&format!("  wave size {least} to {most}{wanted}"));
                }
                None => {}
            }
            for i in &e.inputs {
                let path: String = i.path.iter().map(|p| format!(".{p}")).collect();
                let name = &f.local(i.param).name;
                self.line(&format!("  {name}{path}: {} = {}", self.ty(i.ty), i.value.name()));
            }
        }
    }

    fn global(&mut self, g: &Global) {
        let mut text = String::new();
        match &g.kind {
            GlobalKind::Resource(_) => text += "resource",
            GlobalKind::PushConstant => text += "push_constant",
            GlobalKind::SpecConstant(id) => {
                let _ = write!(text, "spec_constant({id})");
            }
            GlobalKind::Group => text += "group",
            GlobalKind::Opaque(_) => text += "object",
            GlobalKind::Input(n) => {
                let _ = write!(text, "input({n})");
            }
            GlobalKind::GroupShared => text += "groupshared",
            GlobalKind::Static => text += "static",
        }
        for (on, word) in [
            (g.is_const, " const"),
            (g.precise, " precise"),
            (g.order == MatrixOrder::RowMajor, " row_major"),
        ] {
            text += if on { word } else { "" };
        }
        let _ = write!(text, " {}: {}", g.name, self.ty(g.ty));
        if let Some(v) = &g.value {
            let _ = write!(text, " = {}", constant(v));
        }
        if let GlobalKind::Resource(b) = &g.kind {
            if let Some(r) = b.register {
                let _ = write!(text, " register({}{}, space{})", r.class, r.number, r.space);
            }
            if let Some(space) = b.space {
                let _ = write!(text, " register(space{space})");
            }
            if let Some((binding, set)) = b.vk {
                let _ = write!(text, " binding({binding}, {set})");
            }
            if let Some(counter) = b.counter {
                let _ = write!(text, " counter({counter})");
            }
            if let Some(format) = &b.image_format {
                let _ = write!(text, " format({format})");
            }
            text += if b.coherent { " coherent" } else { "" };
            if let Some(block) = &b.block {
                let _ = write!(text, " offsets {:?} size {}", block.offsets, block.size);
            }
        }
        self.line(&text);
    }

    fn function(&mut self, index: usize, f: &Function) {
        let params: Vec<_> = f.locals[..f.params as usize]
            .iter()
            .map(|l| {
                let mode = match l.mode {
                    Some(ParamMode::Out) => "out ",
                    Some(ParamMode::InOut) => "inout ",
                    Some(ParamMode::Ref) if l.written => "ref mut ",
                    Some(ParamMode::Ref) => "ref ",
                    _ => "",
                };
                format!("{mode}{}: {}", l.name, self.ty(l.ty))
            })
            .collect();
        let noinline = if f.noinline { "noinline " } else { "" };
        let precise = if f.precise { "precise " } else { "" };
        self.line(&format!(
            "{noinline}{precise}fn @{} {}({}) -> {} {{",
            self.number(index),
            f.name,
            params.join(", "),
            self.ty(f.ret)
        ));
        self.indent += 1;
        self.block(f, &f.body);
        self.indent -= 1;
        self.line("}");
    }

    fn block(&mut self, f: &Function, block: &Block) {
        for s in &block.stmts {
            self.stmt(f, s);
        }
    }

    fn nested(&mut self, f: &Function, block: &Block) {
        self.indent += 1;
        self.block(f, block);
        self.indent -= 1;
    }

    fn stmt(&mut self, f: &Function, s: &Stmt) {
        match &s.kind {
            StmtKind::Expr(e) => {
                let text = self.expr(f, *e);
                self.line(&text);
            }
            StmtKind::Local { local, init } => {
                let l = f.local(*local);
                let word = if l.is_const { "const" } else { "var" };
                let precise = if l.precise { "precise " } else { "" };
                let mut text = format!("{precise}{word} {}: {}", self.local(f, *local), self.ty(l.ty));
                if let Some(e) = init {
                    let _ = write!(text, " = {}", self.expr(f, *e));
                }
                self.line(&text);
            }
            StmtKind::Block(b) => {
                self.line("{");
                self.nested(f, b);
                self.line("}");
            }
            StmtKind::If { cond, then, otherwise, hint } => {
                let hint = branch_hint(*hint);
                let text = format!("{hint}if {} {{", self.expr(f, *cond));
                self.line(&text);
                self.nested(f, then);
                if let Some(b) = otherwise {
                    self.line("} else {");
                    self.nested(f, b);
                }
                self.line("}");
            }
            StmtKind::Loop(l) => {
                let hint = match l.hint {
                    Some(LoopHint::Unroll(None)) => "[unroll] ".into(),
                    Some(LoopHint::Unroll(Some(n))) => format!("[unroll({n})] "),
                    Some(LoopHint::Loop) => "[loop] ".into(),
                    None => String::new(),
                };
                let when = if l.test_after { "after" } else { "before" };
                let mut text = format!("{hint}loop");
                if let Some(c) = l.cond {
                    let _ = write!(text, " {when} {}", self.expr(f, c));
                }
                if let Some(e) = l.step {
                    let _ = write!(text, " step {}", self.expr(f, e));
                }
                text += " {";
                self.line(&text);
                self.nested(f, &l.body);
                self.line("}");
            }
            StmtKind::Switch(sw) => {
                let text = format!("{}switch {} {{", branch_hint(sw.hint), self.expr(f, sw.value));
                self.line(&text);
                self.indent += 1;
                for c in &sw.cases {
                    let mut labels: Vec<_> = c.labels.iter().map(i64::to_string).collect();
                    if c.is_default {
                        labels.push("default".into());
                    }
                    let falls = if c.falls_through { " falls through" } else { "" };
                    self.line(&format!("case {}{falls} {{", labels.join(", ")));
                    self.nested(f, &c.body);
                    self.line("}");
                }
                self.indent -= 1;
                self.line("}");
            }
            StmtKind::Break => self.line("break"),
            StmtKind::Continue => self.line("continue"),
            StmtKind::Return(None) => self.line("return"),
            StmtKind::Return(Some(e)) => {
                let text = format!("return {}", self.expr(f, *e));
                self.line(&text);
            }
        }
    }

    fn local(&self, f: &Function, id: LocalId) -> String {
        format!("{}#{}", f.local(id).name, id.0)
    }

    fn list(&self, f: &Function, list: &[ExprId]) -> String {
        list.iter().map(|e| self.expr(f, *e)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, f: &Function, id: ExprId) -> String {
        let e = f.expr(id);
        match &e.kind {
            ExprKind::Const(c) => match self.m.types.get(e.ty) {
                Type::Scalar(Scalar::I32 | Scalar::F32 | Scalar::Bool) => constant(c),
                _ => format!("{}:{}", constant(c), self.ty(e.ty)),
            },
            ExprKind::Zero => format!("zero:{}", self.ty(e.ty)),
            ExprKind::Load(p) => format!("load {}", self.place(f, *p)),
            ExprKind::Current => "current".into(),
            ExprKind::Operand => "operand".into(),
            ExprKind::Unary(op, a) => {
                let op = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::BitNot => "~",
                    UnaryOp::Not => "!",
                };
                format!("{op}({})", self.expr(f, *a))
            }
            ExprKind::Binary(op, a, b) => {
                format!("({} {} {})", self.expr(f, *a), op.symbol(), self.expr(f, *b))
            }
            ExprKind::ShortCircuit { and, lhs, rhs } => {
                let op = if *and { "&&" } else { "||" };
                format!("({} {op} {})", self.expr(f, *lhs), self.expr(f, *rhs))
            }
            ExprKind::Ternary { cond, then, otherwise } => {
                format!("({} ? {} : {})", self.expr(f, *cond), self.expr(f, *then), self.expr(f, *otherwise))
            }
            ExprKind::Convert(c, a) => {
                let c = match c {
                    Conversion::Cast => "cast",
                    Conversion::Splat => "splat",
                    Conversion::Truncate => "truncate",
                    Conversion::Reshape => "reshape",
                    Conversion::ToBase => "to_base",
                    Conversion::Pointer => "pointer",
                };
                format!("{c}<{}>({})", self.ty(e.ty), self.expr(f, *a))
            }
            ExprKind::Construct(list) => format!("{}({})", self.ty(e.ty), self.list(f, list)),
            ExprKind::Swizzle(a, c) => format!("{}.{c}", self.expr(f, *a)),
            ExprKind::MatrixSwizzle(a, at) => format!("{}{}", self.expr(f, *a), matrix_swizzle(at)),
            ExprKind::Extract(a, i) => format!("{}.{i}", self.expr(f, *a)),
            ExprKind::Call(callee, args) => {
                let args: Vec<_> = args.iter().map(|a| self.arg(f, a)).collect();
                let (number, name) = (self.number(callee.index()), &self.m.function(*callee).name);
                format!("call @{number} {name}({})", args.join(", "))
            }
            ExprKind::Intrinsic(op, list) => {
                let ty = if matches!(op, Intrinsic::Bitcast) {
                    format!("<{}>", self.ty(e.ty))
                } else {
                    String::new()
                };
                format!("{}{ty}({})", op.name(), self.list(f, list))
            }
            ExprKind::Assign { place, value } => {
                format!("{} = {}", self.place(f, *place), self.expr(f, *value))
            }
            ExprKind::Update { place, operand, value, yields } => {
                let old = if *yields == Yields::Old { "old " } else { "" };
                let operand = operand.map_or(String::new(), |o| format!(" with {}", self.expr(f, o)));
                format!("{old}update {}{operand} => {}", self.place(f, *place), self.expr(f, *value))
            }
            ExprKind::Sequence(list) => {
                format!("{{ {} }}", list.iter().map(|e| self.expr(f, *e)).collect::<Vec<_>>().join("; "))
            }
            ExprKind::TextureLoad { resource, coord, lod, sample, offset, status } => {
                let mut text = format!("texture_load({}, {}", self.place(f, *resource), self.expr(f, *coord));
                for (name, part) in [("lod", lod), ("sample", sample), ("offset", offset)] {
                    if let Some(part) = part {
                        let _ = write!(text, ", {name} {}", self.expr(f, *part));
                    }
                }
                if let Some(status) = status {
                    let _ = write!(text, ", status {}", self.place(f, *status));
                }
                text + ")"
            }
            ExprKind::Sample(s) => {
                let mut values: Vec<String> = s.values().map(|e| self.expr(f, e)).collect();
                values.extend(s.status.map(|p| format!("status {}", self.place(f, p))));
                let texture = self.place(f, s.texture);
                let sampler = s.sampler.map_or(String::new(), |p| self.place(f, p) + " ");
                format!("sample {:?} {texture} {sampler}({})", s.op, values.join(", "))
            }
            ExprKind::Query { resource, query, lod } => {
                let lod = lod.map_or(String::new(), |l| format!(", lod {}", self.expr(f, l)));
                format!("query {query:?}({}{lod})", self.place(f, *resource))
            }
            ExprKind::Atomic { op, place, value, compare } => {
                let compare = compare.map_or(String::new(), |c| format!(", compare {}", self.expr(f, c)));
                format!("atomic {op:?}({}, {}{compare})", self.place(f, *place), self.expr(f, *value))
            }
            ExprKind::Spirv(op, args) => {
                let args: Vec<String> = args
                    .iter()
                    .map(|a| match a {
                        SpirvArg::Value(e) => self.expr(f, *e),
                        SpirvArg::Literal(n) => format!("literal {n}"),
                        SpirvArg::Type(t) => self.ty(*t),
                        SpirvArg::Reference(p) => format!("&{}", self.place(f, *p)),
                    })
                    .collect();
                let set = if op.glsl { "glsl" } else { "spirv" };
                format!("{set}.{}:{}({})", op.code, self.ty(e.ty), args.join(", "))
            }
            ExprKind::Counter { resource, down } => {
                let word = if *down { "down" } else { "up" };
                format!("count {word}({})", self.place(f, *resource))
            }
            ExprKind::Printf { format, args } => {
                let args: String = args.iter().map(|e| format!(", {}", self.expr(f, *e))).collect();
                format!("printf({format:?}{args})")
            }
            ExprKind::Barrier(b) => {
                let mut words = Vec::new();
                for (on, word) in [(b.group, "group"), (b.device, "device"), (b.sync, "sync")] {
                    if on {
                        words.push(word);
                    }
                }
                format!("barrier({})", words.join(", "))
            }
        }
    }

    fn arg(&self, f: &Function, arg: &Arg) -> String {
        match arg {
            Arg::In(e) => self.expr(f, *e),
            Arg::Out { place, copy_out } => {
                format!("out {} => {}", self.place(f, *place), self.expr(f, *copy_out))
            }
            Arg::InOut { place, copy_in, copy_out } => format!(
                "inout {} <= {} => {}",
                self.place(f, *place),
                self.expr(f, *copy_in),
                self.expr(f, *copy_out)
            ),
            Arg::Ref(place) => format!("ref {}", self.place(f, *place)),
        }
    }

    fn place(&self, f: &Function, id: PlaceId) -> String {
        let p = f.place(id);
        match &p.kind {
            PlaceKind::Local(l) => self.local(f, *l),
            PlaceKind::Global(g) => self.m.global(*g).name.clone(),
            PlaceKind::Block(r) => format!("block({})", self.place(f, *r)),
            PlaceKind::Field(base, i) => {
                let name = match self.m.types.get(f.place(*base).ty) {
                    Type::Struct(s) => {
                        self.m.types.structure(s).fields.get(*i as usize).map(|f| f.name.clone())
                    }
                    _ => None,
                };
                format!("{}.{}", self.place(f, *base), name.unwrap_or_else(|| i.to_string()))
            }
            PlaceKind::Index(base, i) => format!("{}[{}]", self.place(f, *base), self.expr(f, *i)),
            PlaceKind::Swizzle(base, c) => format!("{}.{c}", self.place(f, *base)),
            PlaceKind::MatrixSwizzle(base, at) => format!("{}{}", self.place(f, *base), matrix_swizzle(at)),
            PlaceKind::Deref(e) => format!("*({})", self.expr(f, *e)),
            PlaceKind::BufferElement { resource, index } => {
                format!("{}[{}]", self.place(f, *resource), self.expr(f, *index))
            }
            PlaceKind::ByteElement { resource, offset } => {
                format!("{}<{}>@[{}]", self.place(f, *resource), self.ty(p.ty), self.expr(f, *offset))
            }
            PlaceKind::Texel { resource, coord, sample } => {
                let sample = sample.map_or(String::new(), |s| format!(", sample {}", self.expr(f, s)));
                format!("{}[{}{sample}]", self.place(f, *resource), self.expr(f, *coord))
            }
            PlaceKind::Bits(base, r) => {
                let last = r.offset + r.width - 1;
                format!("{}.bits({}..{last})", self.place(f, *base), r.offset)
            }
            PlaceKind::After(e, p) => format!("after({}, {})", self.expr(f, *e), self.place(f, *p)),
            PlaceKind::Temp(e) => format!("temp({})", self.expr(f, *e)),
        }
    }
}

fn branch_hint(hint: Option<BranchHint>) -> &'static str {
    match hint {
        Some(BranchHint::Branch) => "[branch] ",
        Some(BranchHint::Flatten) => "[flatten] ",
        None => "",
    }
}

fn matrix_swizzle(at: &[(u8, u8)]) -> String {
    let elements: String = at.iter().map(|(r, c)| format!("_m{r}{c}")).collect();
    format!(".{elements}")
}

/// The textual form of a constant.
pub fn constant(c: &Const) -> String {
    match c {
        Const::Bool(b) => b.to_string(),
        Const::Int(i) => i.to_string(),
        Const::Float(v) => format!("{v:?}"),
        Const::Composite(list) => {
            format!("{{{}}}", list.iter().map(constant).collect::<Vec<_>>().join(", "))
        }
    }
}
