//! The textual form: MLIR's SPIR-V dialect where that has a form, ours elsewhere (structured control flow, loads and stores,
//! specialisation constants).
//!
//! * The text depends on nothing but the module. Names are hints from the source, made unique with a number; where the name of a
//!   global or struct is another then, it stands beside.
//! * Structs are written once, at the top, as type aliases; constants and addresses of globals at the top of each
//!   function that uses them, in the order of use.
//! * Printing never fails, also on modules that do not verify: what makes no sense is written as `<...>`.
//! * [`super::parse`] reads the text of a module that verifies back: the [normal form](super::normal) of what is read is that of
//!   the module. The text does not have what is for people: source locations, which calls were inlined at which.
//! * Names that are no words stand in quotation marks.

pub(super) mod declared;
pub(super) mod function;
pub(super) mod types;

use crate::ir::entity::Entity;
use crate::ir::{
    BufferAccess, BuiltIn, Const, Decoration, DecorationOperand, Decorations, Func, Function, Global,
    GlobalData, Mode, ModeOperands, Module, Type,
};
use rustc_hash::FxHashMap;
use spirv_spec::Decoration as Kind;
use spirv_spec::{Capability, Category};
use std::fmt::Write;

/// The text of a module.
pub fn print(module: &Module) -> String {
    let names = Names::new(module);
    let mut out = String::new();
    types::aliases(module, &names, &mut out);
    let _ = write!(out, "spirv.module {:?} {:?}", module.addressing, module.memory);
    if !(module.requested_capabilities.is_empty() && module.requested_extensions.is_empty()) {
        let numbers = module.requested_capabilities.iter();
        let capabilities: Vec<String> = numbers
            .map(|n| Capability::from_u32(*n).map_or_else(|| n.to_string(), |c| format!("{c:?}")))
            .collect();
        let extensions: Vec<String> = module.requested_extensions.iter().map(|e| format!("{e:?}")).collect();
        let _ = write!(out, " requires [{}], [{}]", capabilities.join(", "), extensions.join(", "));
    }
    if !module.strings.is_empty() {
        let strings: Vec<String> = module.strings.iter().map(|s| format!("{s:?}")).collect();
        let _ = write!(out, " strings [{}]", strings.join(", "));
    }
    out.push_str(" {\n");
    for (c, ..) in module.ctx.consts.iter() {
        let Some(symbol) = module.ctx.consts.symbol(c) else { continue };
        let _ = write!(out, "  spirv.SpecConstant @{} ", names.constant(c));
        types::form(module, &names, c, 0, true, &mut out);
        out.push_str(" : ");
        types::ty(module, &names, module.ctx.consts.ty(c), 0, &mut out);
        if let Some(d) = &symbol.declared {
            let _ = write!(out, " {}", declared::facts(d).join(" "));
        }
        decorations(module, &names, &symbol.decorations, &mut out);
        out.push('\n');
    }
    for (g, data) in module.globals.iter() {
        let _ = write!(out, "  spirv.GlobalVariable @{}", names.global(g));
        if names.global(g).0 != data.name {
            let _ = write!(out, " name({:?})", data.name);
        }
        global(module, &names, data, &mut out);
        out.push('\n');
    }
    for f in module.functions.keys() {
        function::print(module, &names, f, &mut out);
    }
    let globals = module.globals.iter().map(|(g, data)| (names.global(g), &data.decorations));
    let functions = module.functions.iter().map(|(f, data)| (names.func(f), &data.decorations));
    for (name, list) in globals.chain(functions) {
        // What may name a global that comes later stands behind all of them.
        let mut rest =
            list.iter().filter(|d| inline_builtin(list).is_none() || d.kind != Kind::BuiltIn).peekable();
        if rest.peek().is_some() {
            let _ = write!(out, "  spirv.Decorate @{name}");
            decorations(module, &names, rest, &mut out);
            out.push('\n');
        }
    }
    if let Some((language, version)) = module.source {
        let _ = writeln!(out, "  spirv.Source {language} {version}");
    }
    for (func, f) in module.functions.iter() {
        for a in &f.args {
            let _ = write!(out, "  spirv.KernelArg @{} {:?} {:?}", names.func(func), a.name, a.type_name);
            out.push_str(if a.readonly { " readonly" } else { "" });
            if let Some(scalar) = a.scalar {
                let _ = write!(out, " {}", declared::scalar(scalar));
            }
            out.push('\n');
        }
    }
    counters(module, &names, &mut out);
    for e in &module.entry_points {
        let _ = write!(out, "  spirv.EntryPoint \"{:?}\" @{} {:?}", e.model, names.func(e.func), e.name);
        for g in &e.interface {
            let _ = write!(out, ", @{}", names.global(*g));
        }
        if !e.named.is_empty() {
            let named: Vec<String> = e.named.iter().map(|g| format!("@{}", names.global(*g))).collect();
            let _ = write!(out, " names [{}]", named.join(", "));
        }
        if let Some(w) = e.wave {
            let wanted = w.wanted.map_or(String::new(), |n| format!(", {n}"));
            let _ = write!(out, " wave({}, {}{wanted})", w.least, w.most);
        }
        out.push('\n');
        let [x, y, z] = e.local_size;
        if e.local_size != [0; 3] {
            let _ =
                writeln!(out, "  spirv.ExecutionMode @{} \"LocalSize\", {x}, {y}, {z}", names.func(e.func));
        }
        for mode in &e.modes {
            execution_mode(module, &names, e.func, mode, &mut out);
        }
    }
    out.push_str("}\n");
    out
}

/// The text of one function.
pub fn print_function(module: &Module, f: Func) -> String {
    let mut out = String::new();
    function::print(module, &Names::new(module), f, &mut out);
    out
}

/// The counters of buffers, which may come behind them.
fn counters(module: &Module, names: &Names, out: &mut String) {
    for (of, c) in module.counters() {
        let _ = write!(out, "  spirv.Counter @{} @{}", names.global(of), names.global(c.var));
        let _ = match c.binding {
            Some(n) => writeln!(out, " bind({n})"),
            None => writeln!(out),
        };
    }
}

fn execution_mode(module: &Module, names: &Names, func: Func, mode: &Mode, out: &mut String) {
    let _ = match mode.kind.name() {
        Some(name) => write!(out, "  spirv.ExecutionMode @{} \"{name}\"", names.func(func)),
        None => write!(out, "  spirv.ExecutionMode @{} \"{}\"", names.func(func), mode.kind.0),
    };
    match &mode.operands {
        ModeOperands::Words(words) => words.iter().for_each(|n| {
            let _ = write!(out, ", {n}");
        }),
        ModeOperands::Consts(list) => {
            out.push_str(", id");
            for (i, c) in list.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { " " });
                types::typed_constant(module, names, *c, out);
            }
        }
    }
    out.push('\n');
}

fn global(module: &Module, names: &Names, data: &GlobalData, out: &mut String) {
    if let Some(c) = data.init {
        out.push_str(" initializer(");
        types::constant(module, names, c, 0, out);
        out.push(')');
    }
    if let Some(i) = &data.interface {
        if let Some((set, binding)) = i.binding {
            let _ = write!(out, " bind({set}, {binding})");
        }
        let hlsl = i.hlsl();
        if let Some((class, number, space)) = hlsl.register {
            let _ = write!(out, " register({class}{number}, {space})");
        }
        if let Some(space) = hlsl.space {
            let _ = write!(out, " space({space})");
        }
        let _ = write!(out, " {{class = {:?}", i.class);
        if i.access == BufferAccess::ReadWrite {
            out.push_str(", writable");
        }
        out.push_str(if i.parameter { ", parameter" } else { "" });
        for fact in i.declared.iter().flat_map(|d| declared::facts(d)).chain(declared::of_hlsl(hlsl)) {
            let _ = write!(out, ", {fact}");
        }
        if let Some(g) = i.view_of {
            let _ = write!(out, ", view_of = @{}", names.global(g));
        }
        for (g, offset) in &i.addresses {
            let _ = write!(out, ", address_of = @{} {offset}", names.global(*g));
        }
        out.push('}');
    }
    if let Some(b) = inline_builtin(&data.decorations) {
        let _ = write!(out, " built_in(\"{b:?}\")");
    }
    out.push_str(" : !spirv.ptr<");
    types::ty(module, names, data.ty, 0, out);
    let _ = write!(out, ", {:?}>", data.storage);
}

/// The system value that the text has a form for.
fn inline_builtin(list: &Decorations) -> Option<BuiltIn> {
    let mut found = list.iter().filter(|d| d.kind == Kind::BuiltIn);
    match (found.next(), found.next()) {
        (Some(d), None) if d.operands.len() == 1 => list.builtin().filter(|b| b.name().is_some()),
        _ => None,
    }
}

/// ` {Flat, Location 1}`; nothing if there are none.
fn decorations<'d>(
    module: &Module,
    names: &Names,
    list: impl IntoIterator<Item = &'d Decoration>,
    out: &mut String,
) {
    let mut any = false;
    for d in list {
        out.push_str(if std::mem::replace(&mut any, true) { ", " } else { " {" });
        decoration(module, names, d, out);
    }
    out.push_str(if any { "}" } else { "" });
}

/// A decoration and its operands.
fn decoration(module: &Module, names: &Names, d: &Decoration, out: &mut String) {
    let _ = write!(out, "{:?}", d.kind);
    let row = spirv_spec::enumerant(spirv_spec::Kind::Decoration, d.kind.0);
    let kinds = row.map_or(&[][..], |r| r.parameters());
    for (i, operand) in d.operands.iter().enumerate() {
        out.push(' ');
        let _ = match operand {
            DecorationOperand::Literal(n) => {
                let named = kinds.get(i).filter(|k| k.category() == Category::ValueEnum);
                match named.and_then(|k| spirv_spec::enumerant(*k, *n)) {
                    Some(row) => write!(out, "{}", row.name()),
                    None => write!(out, "{n}"),
                }
            }
            DecorationOperand::Text(text) => write!(out, "{text:?}"),
            DecorationOperand::Global(g) => write!(out, "@{}", names.global(*g)),
            DecorationOperand::Const(c) => {
                out.push_str("const ");
                types::typed_constant(module, names, *c, out);
                Ok(())
            }
        };
    }
}

/// Unique names of what a module declares.
pub(super) struct Names {
    globals: Vec<String>,
    funcs: Vec<String>,
    /// Constants that are declared.
    consts: FxHashMap<Const, String>,
    /// By type index; empty for types that are no structs.
    structs: Vec<String>,
}

impl Names {
    pub(super) fn new(module: &Module) -> Names {
        let mut symbols = Unique::default();
        let globals = module.globals.iter().map(|(_, g)| symbols.name(&g.name, "global")).collect();
        let funcs =
            module.functions.iter().map(|(_, f): (_, &Function)| symbols.name(&f.name, "func")).collect();
        let declared = module.ctx.consts.iter().filter_map(|(c, ..)| Some((c, module.ctx.consts.symbol(c)?)));
        let consts = declared.map(|(c, s)| (c, symbols.name(&s.name, "const"))).collect();
        Names { globals, funcs, consts, structs: types::struct_names(module) }
    }

    /// Of a global, as it is written.
    pub(super) fn global(&self, g: Global) -> Written<'_> {
        Written(self.globals.get(g.index()).map_or("<no global>", |n| n))
    }

    /// Of a constant that is declared.
    pub(super) fn constant(&self, c: Const) -> Written<'_> {
        Written(self.consts.get(&c).map_or("<no constant>", |n| n))
    }

    /// Of a type that is a struct.
    pub(super) fn structure(&self, t: Type) -> Written<'_> {
        Written(self.structs.get(t.index()).map_or("<no type>", |n| n))
    }

    pub(super) fn func(&self, f: Func) -> Written<'_> {
        Written(self.funcs.get(f.index()).map_or("<no function>", |n| n))
    }
}

/// A name as it is written: in quotation marks if it is no word.
pub(super) struct Written<'a>(pub &'a str);

impl std::fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let in_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
        if !self.0.is_empty() && self.0.chars().all(in_word) {
            f.write_str(self.0)
        } else {
            write!(f, "{:?}", self.0)
        }
    }
}

/// Hands out each name once.
#[derive(Default)]
struct Unique {
    taken: FxHashMap<String, u32>,
}

impl Unique {
    fn name(&mut self, hint: &str, default: &str) -> String {
        let name = if hint.is_empty() { default } else { hint };
        let digits = name.bytes().all(|b| b.is_ascii_digit());
        let name = if digits { format!("_{name}") } else { name.to_string() };
        loop {
            let Some(n) = self.taken.get_mut(&name) else {
                self.taken.insert(name.clone(), 0);
                return name;
            };
            let next = format!("{name}_{n}");
            *n += 1;
            if !self.taken.contains_key(&next) {
                self.taken.insert(next.clone(), 0);
                return next;
            }
        }
    }
}
