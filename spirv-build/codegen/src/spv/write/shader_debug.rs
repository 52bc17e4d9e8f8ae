//! Debug information of the sets `NonSemantic.Shader.DebugInfo.100` and `OpenCL.DebugInfo.100`.
//!
//! The sets number the same instructions alike. In the first all operands are ids, and lines and definitions of functions are
//! instructions of the set; in the second numbers are literals, lines are `OpLine`, and a function names its definition.
//!
//! Types, functions, blocks and variables are instructions between the globals and the first function, made when they are first
//! needed. In a function, scopes and lines are told again in each block, where they change. An instruction that came there by
//! inlining has the scope of its source, and the chain of calls that brought it.

mod types;

use super::{DebugInfo, DebugSet, Writer, inst, string};
use crate::ir::debug::{Local, Program, Variable};
use crate::ir::entity::Entity;
use crate::ir::{Func, Function, Inst, Op, Opcode, TypeKind, Value};
use crate::source::{SourceMap, Span};
use rustc_hash::FxHashMap;

/// The extension that sets without meaning for execution need.
pub const EXTENSION: &str = "SPV_KHR_non_semantic_info";
/// Version of the information, and of DWARF, that dxc and others write.
const VERSIONS: [u32; 2] = [1, 4];
/// HLSL among the source languages.
const HLSL: u32 = 5;
/// Flag of what is defined here.
const IS_DEFINITION: u32 = 1 << 3;
/// Flag of local variables.
const IS_LOCAL: u32 = 1 << 2;
/// Flags of what everyone may use.
const IS_PUBLIC: u32 = 3;
/// Longest text of one instruction, in bytes.
const MAX_TEXT: usize = super::limits::MAX_STRING;

/// Numbers of the instructions.
mod number {
    pub const INFO_NONE: u32 = 0;
    pub const COMPILATION_UNIT: u32 = 1;
    pub const TYPE_BASIC: u32 = 2;
    pub const TYPE_ARRAY: u32 = 5;
    pub const TYPE_VECTOR: u32 = 6;
    pub const TYPE_FUNCTION: u32 = 8;
    pub const TYPE_COMPOSITE: u32 = 10;
    pub const TYPE_MEMBER: u32 = 11;
    pub const GLOBAL_VARIABLE: u32 = 18;
    pub const FUNCTION: u32 = 20;
    pub const LEXICAL_BLOCK: u32 = 21;
    pub const SCOPE: u32 = 23;
    pub const NO_SCOPE: u32 = 24;
    pub const INLINED_AT: u32 = 25;
    pub const LOCAL_VARIABLE: u32 = 26;
    pub const DECLARE: u32 = 28;
    pub const EXPRESSION: u32 = 31;
    pub const SOURCE: u32 = 35;
    pub const FUNCTION_DEFINITION: u32 = 101;
    pub const SOURCE_CONTINUED: u32 = 102;
    pub const LINE: u32 = 103;
}

/// What was written so far.
pub(super) struct ShaderDebug<'a> {
    program: &'a Program,
    sources: &'a SourceMap,
    with_text: bool,
    /// Which set is written.
    kind: DebugSet,
    /// Id of the set.
    pub(super) set: u32,
    void: u32,
    /// Instructions outside functions.
    pub(super) section: Vec<u32>,
    texts: FxHashMap<String, u32>,
    /// Sources by the name of the file.
    files: FxHashMap<String, u32>,
    /// The file that the compilation began with.
    main: u32,
    unit: u32,
    none: u32,
    expression: u32,
    types: Vec<u32>,
    scopes: Vec<u32>,
    locals: FxHashMap<Span, u32>,
    inlined: FxHashMap<(u32, u32, u32), u32>,
    /// Chains of calls of the function that is being written, by their innermost call.
    chains: FxHashMap<u32, u32>,
    /// The functions that are written, by where the source has them; made when first asked for.
    definitions: Option<FxHashMap<Span, Func>>,
    /// Scopes of functions by their place, and parameters by scope and name.
    functions: FxHashMap<Span, usize>,
    parameters: FxHashMap<(usize, &'a str), &'a Local>,
    places: FxHashMap<Span, Option<Place>>,
    /// The function whose definition is to be told of, until its first instruction.
    function: Option<Func>,
    /// Scope and chain of calls, and the line, that were told last in this block.
    scope: (u32, u32),
    line: [u32; 5],
}

/// Where an instruction comes from.
#[derive(Clone, Copy)]
struct Place {
    scope: usize,
    source: u32,
    line: u32,
    columns: (u32, u32),
}

impl<'a> Writer<'a> {
    /// Begins: the compilation unit and the globals.
    pub(super) fn begin_shader_debug(&mut self, d: &'a DebugInfo<'a>, program: &'a Program, kind: DebugSet) {
        let types = &self.module.ctx.types;
        let void = self.module.entry_points.first().map(|e| self.module.functions[e.func].result);
        let Some(void) = void.filter(|t| *types.kind(*t) == TypeKind::Void) else { return };
        let void = self.type_id(void);
        let mut s = ShaderDebug {
            program,
            sources: d.sources,
            with_text: d.source,
            kind,
            set: self.id(),
            void,
            section: Vec::new(),
            texts: FxHashMap::default(),
            files: FxHashMap::default(),
            main: 0,
            unit: 0,
            none: 0,
            expression: 0,
            types: vec![0; program.types.len()],
            scopes: vec![0; program.scopes.len()],
            locals: FxHashMap::default(),
            inlined: FxHashMap::default(),
            chains: FxHashMap::default(),
            definitions: None,
            functions: FxHashMap::default(),
            parameters: FxHashMap::default(),
            places: FxHashMap::default(),
            function: None,
            scope: (0, 0),
            line: [0; 5],
        };
        for (i, scope) in program.scopes.iter().enumerate() {
            if let Some(f) = &scope.function {
                s.functions.entry(f.span).or_insert(i);
            }
        }
        let parameters = program.locals.values().filter(|l| l.parameter.is_some());
        s.parameters.extend(parameters.map(|l| ((l.scope, l.variable.name.as_str()), l)));
        let main = d.sources.files().find(|(_, f)| f.on_disk).map_or("", |(_, f)| &f.name);
        self.known_numbers();
        let source = self.debug_source(&mut s, main);
        s.main = source;
        let words = VERSIONS.map(|n| self.debug_number(&s, n));
        let language = self.debug_number(&s, HLSL);
        s.unit = self.debug_inst(&mut s, number::COMPILATION_UNIT, &[words[0], words[1], source, language]);
        let module = self.module;
        for (g, data) in module.globals.iter() {
            let id = self.globals[g.index()];
            if let (Some(v), true) = (program.globals.get(&data.span), id != 0) {
                self.global_variable(&mut s, v, id);
            }
        }
        self.shader_debug = Some(Box::new(s));
    }

    /// Numbers that the module has anyway are not declared twice.
    fn known_numbers(&mut self) {
        let module = self.module;
        for (c, ty, kind) in module.ctx.consts.iter() {
            let id = self.consts[c.index()];
            let u32 = matches!(module.ctx.types.kind(ty), TypeKind::Int { width: 32, signed: false });
            if let (crate::ir::ConstKind::Bits(n), true, true) = (kind, u32, id != 0) {
                self.lengths.entry(*n as u32).or_insert(id);
            }
        }
    }

    /// The constant that a number is.
    fn number_id(&mut self, n: u32) -> u32 {
        self.length(n)
    }

    /// A number that is a literal where the set has literals.
    fn debug_number(&mut self, s: &ShaderDebug<'_>, n: u32) -> u32 {
        match s.kind {
            DebugSet::Shader => self.number_id(n),
            DebugSet::OpenCl => n,
        }
    }

    fn debug_text(&mut self, s: &mut ShaderDebug<'_>, text: &str) -> u32 {
        let known = s.texts.get(text).copied().or_else(|| self.known_file(text));
        if let Some(id) = known {
            return id;
        }
        let id = self.id();
        let mut words = vec![id];
        words.extend(string(super::debug::pieces(text, MAX_TEXT)[0]));
        inst(&mut self.texts, Op::String, &words);
        s.texts.insert(text.into(), id);
        id
    }

    /// An instruction outside functions.
    fn debug_inst(&mut self, s: &mut ShaderDebug<'_>, number: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.debug_inst_as(s, id, number, operands);
        id
    }

    fn debug_inst_as(&mut self, s: &mut ShaderDebug<'_>, id: u32, number: u32, operands: &[u32]) {
        let mut words = vec![s.void, id, s.set, number];
        words.extend(operands);
        inst(&mut s.section, Op::ExtInst, &words);
    }

    /// An instruction in a function.
    fn debug_code(&mut self, s: &ShaderDebug<'_>, number: u32, operands: &[u32]) {
        let id = self.id();
        let mut words = vec![s.void, id, s.set, number];
        words.extend(operands);
        inst(&mut self.code, Op::ExtInst, &words);
    }

    /// The source that a file is, with its text if that is wanted.
    fn debug_source(&mut self, s: &mut ShaderDebug<'_>, name: &str) -> u32 {
        if let Some(id) = s.files.get(name) {
            return *id;
        }
        let file = self.debug_text(s, name);
        let found = s.sources.files().find(|(_, f)| f.name == name && f.on_disk);
        let text = found.filter(|_| s.with_text).map_or("", |(_, f)| &f.text);
        // Where no instruction goes on with a text, `OpSource` has the long ones.
        let text = if s.kind == DebugSet::OpenCl && text.len() > MAX_TEXT { "" } else { text };
        let mut pieces = super::debug::pieces(text, MAX_TEXT).into_iter();
        let mut operands = vec![file];
        if let Some(first) = pieces.next().filter(|t| !t.is_empty()) {
            operands.push(self.debug_text(s, first));
        }
        let id = self.debug_inst(s, number::SOURCE, &operands);
        for piece in pieces {
            let piece = self.debug_text(s, piece);
            self.debug_inst(s, number::SOURCE_CONTINUED, &[piece]);
        }
        s.files.insert(name.into(), id);
        id
    }

    fn debug_none(&mut self, s: &mut ShaderDebug<'_>) -> u32 {
        if s.none == 0 {
            s.none = self.debug_inst(s, number::INFO_NONE, &[]);
        }
        s.none
    }

    /// Source, line and column of a declaration, as operands.
    fn debug_position(&mut self, s: &mut ShaderDebug<'_>, span: Span) -> [u32; 3] {
        if span == Span::default() {
            // What no source declares.
            return [s.main, self.debug_number(s, 0), self.debug_number(s, 0)];
        }
        let p = s.sources.position(span);
        let source = self.debug_source(s, &p.file);
        [source, self.debug_number(s, p.line), self.debug_number(s, p.column)]
    }

    fn global_variable(&mut self, s: &mut ShaderDebug<'_>, v: &Variable, id: u32) {
        let ty = self.debug_type(s, v.ty).0;
        let name = self.debug_text(s, &v.name);
        let [source, line, column] = self.debug_position(s, v.span);
        let flags = self.debug_number(s, IS_DEFINITION);
        let operands = [name, ty, source, line, column, s.unit, name, id, flags];
        self.debug_inst(s, number::GLOBAL_VARIABLE, &operands);
    }

    /// The function or block that a scope is.
    fn debug_scope(&mut self, s: &mut ShaderDebug<'_>, scope: usize) -> u32 {
        if s.scopes[scope] != 0 {
            return s.scopes[scope];
        }
        let program = s.program;
        let data = &program.scopes[scope];
        let parent = match data.parent {
            Some(p) => self.debug_scope(s, p),
            None => s.unit,
        };
        let [source, line, column] = self.debug_position(s, data.range);
        let id = match &data.function {
            None => self.debug_inst(s, number::LEXICAL_BLOCK, &[source, line, column, parent]),
            Some(f) => {
                let mut operands = vec![self.debug_number(s, IS_PUBLIC)];
                for ty in &f.types {
                    operands.push(self.debug_type(s, *ty).0);
                }
                let ty = self.debug_inst(s, number::TYPE_FUNCTION, &operands);
                let (name, link) = (self.debug_text(s, &f.name), self.debug_text(s, ""));
                let flags = self.debug_number(s, IS_PUBLIC);
                let mut operands = vec![name, ty, source, line, column, parent, link, flags, line];
                if s.kind == DebugSet::OpenCl {
                    operands.push(match self.defined_by(s, f.span) {
                        Some(func) => self.func_id(func),
                        None => self.debug_none(s),
                    });
                }
                self.debug_inst(s, number::FUNCTION, &operands)
            }
        };
        s.scopes[scope] = id;
        id
    }

    /// A function begins.
    pub(super) fn shader_debug_function(&mut self, func: Func) {
        if let Some(s) = &mut self.shader_debug {
            s.function = Some(func);
            s.chains.clear();
        }
    }

    /// Whether the function's definition is still to be told of.
    pub(super) fn defines_function(&self) -> bool {
        self.shader_debug.as_ref().is_some_and(|s| s.function.is_some())
    }

    /// A block begins: what was told before holds no longer.
    pub(super) fn shader_debug_block(&mut self) {
        if let Some(s) = &mut self.shader_debug {
            (s.scope, s.line) = ((0, 0), [0; 5]);
        }
    }

    /// Where the function and block, and the line, of what comes next differ from what was told last, tells them. `ids`: ids of
    /// the function's variables and parameters.
    pub(super) fn shader_debug_at(&mut self, f: &Function, at: Inst, ids: &[(Value, u32)]) {
        let Some(mut s) = self.shader_debug.take() else { return };
        if let Some(func) = s.function.take() {
            self.definition(&mut s, f, func, ids);
        }
        let span = f.insts[at].span;
        if let Some(place) = self.place(&mut s, span) {
            let calls = f.inlined.get(&at).map_or(0, |site| self.calls(&mut s, f, *site));
            self.enter(&mut s, place.scope, calls);
            if s.kind == DebugSet::Shader {
                let columns = (self.number_id(place.columns.0), self.number_id(place.columns.1));
                let line = self.number_id(place.line);
                let told = [place.source, line, line, columns.0, columns.1];
                if s.line != told {
                    s.line = told;
                    self.debug_code(&s, number::LINE, &told);
                }
            }
        } else if s.scope != (0, 0) {
            (s.scope, s.line) = ((0, 0), [0; 5]);
            self.debug_code(&s, number::NO_SCOPE, &[]);
        }
        self.shader_debug = Some(s);
    }

    fn enter(&mut self, s: &mut ShaderDebug<'_>, scope: usize, calls: u32) {
        let id = self.debug_scope(s, scope);
        if s.scope != (id, calls) {
            s.scope = (id, calls);
            // A line belongs to the scope that it was told in.
            s.line = [0; 5];
            let operands = if calls == 0 { vec![id] } else { vec![id, calls] };
            self.debug_code(s, number::SCOPE, &operands);
        }
    }

    fn place(&mut self, s: &mut ShaderDebug<'_>, span: Span) -> Option<Place> {
        if span == Span::default() {
            return None;
        }
        if let Some(known) = s.places.get(&span) {
            return *known;
        }
        let located = s.sources.locate(span);
        let place = s.program.scope_at(located).map(|scope| {
            let p = s.sources.position(span);
            let text = s.sources.text(located);
            let wide = text.lines().next().map_or(0, |l| l.chars().count() as u32);
            let source = self.debug_source(s, &p.file);
            Place { scope, source, line: p.line, columns: (p.column, p.column + wide) }
        });
        s.places.insert(span, place);
        place
    }

    /// The chain of calls that a place of inlined calls stands for; 0 for none. The call of a program's own entry function is
    /// none: source has no such call.
    fn calls(&mut self, s: &mut ShaderDebug<'_>, f: &Function, site: u32) -> u32 {
        let (mut chain, mut id, mut at) = (Vec::new(), 0, Some(site));
        while let Some(i) = at {
            if let Some(known) = s.chains.get(&i) {
                id = *known;
                break;
            }
            let Some(call) = f.call_sites.get(i as usize) else { break };
            chain.push((i, call.span));
            at = call.outer;
        }
        for (i, span) in chain.into_iter().rev() {
            if span != f.span
                && let Some(place) = self.place(s, span)
            {
                let scope = self.debug_scope(s, place.scope);
                let key = (place.line, scope, id);
                id = match s.inlined.get(&key) {
                    Some(known) => *known,
                    None => {
                        let line = self.debug_number(s, place.line);
                        let operands = if id == 0 { vec![line, scope] } else { vec![line, scope, id] };
                        let new = self.debug_inst(s, number::INLINED_AT, &operands);
                        s.inlined.insert(key, new);
                        new
                    }
                };
            }
            s.chains.insert(i, id);
        }
        id
    }

    /// Tells which function this is, and what its memory holds.
    fn definition(&mut self, s: &mut ShaderDebug<'_>, f: &Function, func: Func, ids: &[(Value, u32)]) {
        let program = s.program;
        let Some(scope) = s.functions.get(&f.span).copied() else { return };
        if !self.defines(func, f) {
            return;
        }
        let id = self.debug_scope(s, scope);
        let own = self.funcs[func.index()];
        self.enter(s, scope, 0);
        if s.kind == DebugSet::Shader {
            self.debug_code(s, number::FUNCTION_DEFINITION, &[id, own]);
        }
        for (value, id) in ids {
            let inst = f.def_inst(*value);
            let local = match inst {
                Some(i) => program.locals.get(&f.insts[i].span),
                None => {
                    let name = f.values[*value].name.as_deref();
                    name.and_then(|name| s.parameters.get(&(scope, name)).copied())
                }
            };
            let Some(local) = local else { continue };
            // Memory that is not the variable itself may have been made for its declaration.
            if f.values[*value].name.as_deref() != Some(&local.variable.name) {
                continue;
            }
            let calls = match inst.and_then(|i| f.inlined.get(&i)) {
                Some(site) => self.calls(s, f, *site),
                None => 0,
            };
            let variable = self.local_variable(s, local);
            if s.expression == 0 {
                s.expression = self.debug_inst(s, number::EXPRESSION, &[]);
            }
            self.enter(s, local.scope, calls);
            let expression = s.expression;
            self.debug_code(s, number::DECLARE, &[variable, *id, expression]);
        }
    }

    /// Whether a function has the code of the function of the source whose span it has. An entry point calls that, unless it was
    /// inlined.
    fn defines(&self, func: Func, f: &Function) -> bool {
        let is_entry = self.module.entry_points.iter().any(|e| e.func == func);
        let calls = |i: &crate::ir::InstData| i.op == Opcode::Op(Op::FunctionCall) && i.span == f.span;
        !is_entry
            || !f.call_sites.is_empty()
            || !f.insts.iter().any(|(i, d)| calls(d) && !f.inlined.contains_key(&i))
    }

    /// The function that is written for one of the source.
    fn defined_by(&self, s: &mut ShaderDebug<'_>, span: Span) -> Option<Func> {
        let definitions = s.definitions.get_or_insert_with(|| {
            let module = self.module;
            let reached = crate::ir::walk::reached(module);
            let mut all = FxHashMap::default();
            for (func, f) in module.functions.iter() {
                if reached[func.index()] && f.body.is_some() && self.defines(func, f) {
                    all.entry(f.span).or_insert(func);
                }
            }
            all
        });
        definitions.get(&span).copied()
    }

    fn local_variable(&mut self, s: &mut ShaderDebug<'_>, local: &crate::ir::debug::Local) -> u32 {
        let v = &local.variable;
        if let Some(id) = s.locals.get(&v.span) {
            return *id;
        }
        let ty = self.debug_type(s, v.ty).0;
        let name = self.debug_text(s, &v.name);
        let [source, line, column] = self.debug_position(s, v.span);
        let parent = self.debug_scope(s, local.scope);
        let mut operands = vec![name, ty, source, line, column, parent, self.debug_number(s, IS_LOCAL)];
        operands.extend(local.parameter.map(|n| self.debug_number(s, n)));
        let id = self.debug_inst(s, number::LOCAL_VARIABLE, &operands);
        s.locals.insert(v.span, id);
        id
    }

    /// The import of the set, and the extension that it needs.
    pub(super) fn shader_debug_import(&self) -> Option<(Vec<u32>, Option<&'static str>)> {
        let s = self.shader_debug.as_ref()?;
        let mut words = vec![s.set];
        words.extend(string(s.kind.name()));
        Some((words, (s.kind == DebugSet::Shader).then_some(EXTENSION)))
    }
}
