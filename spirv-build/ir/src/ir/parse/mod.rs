//! Reads the textual form that [`super::print`] writes.
//!
//! * Printing what was read gives the text back. A module that is read is not verified yet.
//! * The first mistake ends the reading; it is told with line and column. No text makes it panic or overflow the stack.
//! * Aliases of structs come before the module. Functions may call what follows them; values may be used before the text
//!   defines them, as blocks of a plain graph do.
//! * Beside what is printed it takes `ui32` for `i32`, structs without an alias, and comments (`// ...`).

mod declared;
mod function;
mod names;
mod structured;
mod text;
mod types;

use crate::ir::{
    BufferAccess, BuiltIn, Const, Counter, Decoration, DecorationOperand, Decorations, EntryPoint, Func,
    Global, GlobalData, HlslResource, Inst, Interface, KernelArg, Mode, ModeOperands, Module, Operand,
    ResourceClass, Type, WaveSize,
};
use crate::source::Span;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv_spec::{Capability, ExecutionMode};
use std::str::FromStr;
use std::sync::Arc;
use text::{Read, Text, unescaped};

/// Why a text is no module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in characters.
    pub column: u32,
    /// What is wrong there.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Reads a module.
///
/// # Errors
/// The first mistake.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    // As deep as operations may be nested, so deep goes the recursion.
    crate::stack::on_large_stack(|| {
        let mut p = Parser {
            t: Text::new(text),
            m: Module::default(),
            aliases: FxHashMap::default(),
            globals: FxHashMap::default(),
            consts: FxHashMap::default(),
            funcs: FxHashMap::default(),
            calls: Vec::new(),
        };
        p.module()?;
        Ok(p.m)
    })
}

/// A call of a function that may not have been read yet: where it stands, and the name.
struct Call<'a> {
    func: Func,
    inst: Inst,
    operand: usize,
    name: &'a str,
    at: usize,
}

struct Parser<'a> {
    t: Text<'a>,
    m: Module,
    aliases: FxHashMap<&'a str, Type>,
    globals: FxHashMap<&'a str, Global>,
    consts: FxHashMap<&'a str, Const>,
    funcs: FxHashMap<&'a str, Func>,
    calls: Vec<Call<'a>>,
}

const CLASSES: &[(&str, ResourceClass)] = &[
    ("StructuredBuffer", ResourceClass::StructuredBuffer),
    ("ByteAddressBuffer", ResourceClass::ByteAddressBuffer),
    ("ConstantBuffer", ResourceClass::ConstantBuffer),
    ("PushConstant", ResourceClass::PushConstant),
    ("Image", ResourceClass::Image),
    ("Sampler", ResourceClass::Sampler),
    ("Address", ResourceClass::Address),
    ("LocalMemory", ResourceClass::LocalMemory),
];

impl<'a> Parser<'a> {
    fn module(&mut self) -> Read<()> {
        while self.t.peek() == Some(b'!') {
            self.alias()?;
        }
        self.t.expect("spirv.module")?;
        self.m.addressing = self.enumerant("addressing model")?;
        self.m.memory = self.enumerant("memory model")?;
        if self.t.eat("requires") {
            self.m.requested_capabilities = self.t.list("[", "]", |t| {
                let at = t.here();
                let word = t.word()?;
                let number = Capability::from_str(word).map(|c| c.0).ok();
                number
                    .or_else(|| word.parse().ok())
                    .ok_or_else(|| t.error_at(at, format!("`{word}` is no capability")))
            })?;
            self.t.expect(",")?;
            self.m.requested_extensions = self.t.list("[", "]", Text::string)?;
        }
        if self.t.eat("strings") {
            self.m.strings = self.t.list("[", "]", Text::string)?;
        }
        self.t.expect("{")?;
        while !self.t.eat("}") {
            self.item()?;
        }
        if self.t.peek().is_some() {
            return Err(self.t.error("expected nothing after the module"));
        }
        for call in std::mem::take(&mut self.calls) {
            let Some(callee) = self.funcs.get(call.name).copied() else {
                return Err(self.t.error_at(call.at, format!("there is no function `@{}`", call.name)));
            };
            self.m.functions[call.func].insts[call.inst].operands[call.operand] = Operand::Func(callee);
        }
        Ok(())
    }

    fn item(&mut self) -> Read<()> {
        let at = self.t.here();
        if self.t.eat("spirv.SpecConstant") {
            self.spec_constant()
        } else if self.t.eat("spirv.GlobalVariable") {
            self.global()
        } else if self.t.eat("spirv.func") {
            self.function()
        } else if self.t.eat("spirv.Decorate") {
            self.decorate()
        } else if self.t.eat("spirv.Source") {
            self.m.source = Some((self.t.small()?, self.t.small()?));
            Ok(())
        } else if self.t.eat("spirv.Counter") {
            let (of, var) = (self.global_name()?, self.global_name()?);
            let mut binding = None;
            if self.t.eat("bind") {
                self.t.expect("(")?;
                binding = Some(self.t.small()?);
                self.t.expect(")")?;
            }
            let Some(i) = &mut self.m.globals[of].interface else {
                return Err(self.t.error_at(at, "only a resource has a counter"));
            };
            i.hlsl.get_or_insert_default().counter = Some(Counter { var, binding });
            Ok(())
        } else if self.t.eat("spirv.KernelArg") {
            self.kernel_arg()
        } else if self.t.eat("spirv.EntryPoint") {
            self.entry_point()
        } else if self.t.eat("spirv.ExecutionMode") {
            self.execution_mode()
        } else {
            Err(self
                .t
                .error_at(at, "expected `}` or something that stands in a module: `spirv.func @main() ...`"))
        }
    }

    /// A word that names an enumerant.
    fn enumerant<T: FromStr>(&mut self, what: &str) -> Read<T> {
        let at = self.t.here();
        let word = self.t.word()?;
        word.parse().map_err(|_| self.t.error_at(at, format!("`{word}` is no {what}")))
    }

    /// The same in quotation marks.
    fn quoted<T: FromStr>(&mut self, what: &str) -> Read<T> {
        let at = self.t.here();
        let word = self.t.string()?;
        word.parse().map_err(|_| self.t.error_at(at, format!("`{word}` is no {what}")))
    }

    fn global_name(&mut self) -> Read<Global> {
        let at = self.t.here();
        let name = self.t.name("@")?;
        match self.globals.get(name) {
            Some(g) => Ok(*g),
            None => Err(self.t.error_at(at, format!("there is no global `@{name}`"))),
        }
    }

    /// `@name spec_id(7) = 42 : i32 {BuiltIn WorkgroupSize}`: a constant of any form that is declared under a name.
    fn spec_constant(&mut self) -> Read<()> {
        let at = self.t.here();
        let name = self.t.name("@")?;
        let c = self.typed_constant()?;
        let mut declared = None;
        while self.declared(&mut declared)? {}
        let decorations = self.optional_decorations()?;
        let symbol = self.m.ctx.consts.declare(c, &unescaped(name));
        symbol.declared = declared;
        symbol.decorations.extend(decorations);
        if self.consts.insert(name, c).is_some()
            || self.globals.contains_key(name)
            || self.funcs.contains_key(name)
        {
            return Err(self.t.error_at(at, format!("`@{name}` is defined twice")));
        }
        Ok(())
    }

    fn global(&mut self) -> Read<()> {
        let at = self.t.here();
        let name = self.t.name("@")?;
        let mut own_name = unescaped(name).into_owned();
        if self.t.eat("name") {
            self.t.expect("(")?;
            own_name = self.t.string()?;
            self.t.expect(")")?;
        }
        let mut init = None;
        if self.t.eat("initializer") {
            self.t.expect("(")?;
            init = Some(self.literal(0)?);
            self.t.expect(")")?;
        }
        let (mut binding, mut interface) = (None, None);
        let mut decorations = Decorations::new();
        let mut hlsl = HlslResource::default();
        if self.t.eat("bind") {
            self.t.expect("(")?;
            let set = self.t.small()?;
            self.t.expect(",")?;
            binding = Some((set, self.t.small()?));
            self.t.expect(")")?;
        }
        if self.t.eat("register") {
            self.t.expect("(")?;
            let Some(class) = ['b', 't', 'u', 's'].into_iter().find(|c| self.t.eat_prefix(&c.to_string()))
            else {
                return Err(self.t.error("expected a register: b, t, u or s and a number"));
            };
            let number = self.t.small()?;
            self.t.expect(",")?;
            hlsl.register = Some((class, number, self.t.small()?));
            self.t.expect(")")?;
        }
        if self.t.eat("space") {
            self.t.expect("(")?;
            hlsl.space = Some(self.t.small()?);
            self.t.expect(")")?;
        }
        if self.t.eat("{") {
            self.t.expect("class")?;
            self.t.expect("=")?;
            let Some((_, class)) = CLASSES.iter().find(|c| self.t.eat(c.0)) else {
                return Err(self.t.error("expected a class of resources"));
            };
            let mut i = Interface { binding, ..Interface::new(*class, BufferAccess::Read) };
            let mut declared = None;
            while self.t.eat(",") {
                if self.t.eat("writable") {
                    i.access = BufferAccess::ReadWrite;
                } else if self.t.eat("parameter") {
                    i.parameter = true;
                } else if self.t.eat("view_of") {
                    self.t.expect("=")?;
                    i.view_of = Some(self.global_name()?);
                } else if self.t.eat("address_of") {
                    self.t.expect("=")?;
                    i.addresses.push((self.global_name()?, self.t.small()?));
                } else if !self.declared(&mut declared)? && !self.of_hlsl(&mut hlsl)? {
                    return Err(self.t.error("expected a fact of a resource"));
                }
            }
            self.t.expect("}")?;
            i.declared = declared.map(Arc::new);
            i.hlsl = (hlsl != HlslResource::default()).then(|| Box::new(hlsl));
            interface = Some(i);
        } else if binding.is_some() || hlsl.register.is_some() {
            return Err(self.t.error("expected `{class = ...}`"));
        }
        if self.t.eat("built_in") {
            self.t.expect("(")?;
            let builtin: BuiltIn = self.quoted("system value")?;
            decorations.add(Decoration::words(spirv_spec::Decoration::BuiltIn, &[builtin.0]));
            self.t.expect(")")?;
        }
        self.t.expect(":")?;
        let pointer_at = self.t.here();
        let pointer = self.read_type()?;
        let Some((ty, storage)) = self.m.ctx.types.pointee(pointer) else {
            return Err(self.t.error_at(pointer_at, "the type of a global is a pointer"));
        };
        let init = init.map(|c| self.constant(ty, &c)).transpose()?;
        let span = Span::default();
        let data = GlobalData { name: own_name, ty, storage, init, decorations, interface, span };
        let g = self.m.globals.push(data);
        if self.globals.insert(name, g).is_some()
            || self.funcs.contains_key(name)
            || self.consts.contains_key(name)
        {
            return Err(self.t.error_at(at, format!("`@{name}` is defined twice")));
        }
        Ok(())
    }

    /// `@name {Constant, Alignment 4}`.
    fn decorate(&mut self) -> Read<()> {
        let at = self.t.here();
        let name = self.t.name("@")?;
        let (func, global) = (self.funcs.get(name).copied(), self.globals.get(name).copied());
        let list = self.decorations()?;
        match (func, global) {
            (Some(f), _) => self.m.functions[f].decorations.extend(list),
            (_, Some(g)) => self.m.globals[g].decorations.extend(list),
            _ => return Err(self.t.error_at(at, format!("there is no `@{name}`"))),
        }
        Ok(())
    }

    /// `{NoContraction, FPFastMathMode 1}`.
    fn decorations(&mut self) -> Read<Decorations> {
        self.t.expect("{")?;
        let mut list = Decorations::new();
        loop {
            list.add(self.decoration()?);
            if self.t.eat("}") {
                return Ok(list);
            }
            self.t.expect(",")?;
        }
    }

    /// A name, or `Decoration(6000)`, and operands up to a comma or whatever closes the list.
    fn decoration(&mut self) -> Read<Decoration> {
        let at = self.t.here();
        let word = self.t.word()?;
        let kind = if word == "Decoration" {
            self.t.expect("(")?;
            let number = self.t.small()?;
            self.t.expect(")")?;
            spirv_spec::Decoration(number)
        } else {
            word.parse().map_err(|()| self.t.error_at(at, format!("`{word}` is no decoration")))?
        };
        let row = spirv_spec::enumerant(spirv_spec::Kind::Decoration, kind.0);
        let kinds = row.map_or(&[][..], |r| r.parameters());
        let mut operands = SmallVec::new();
        loop {
            let at = self.t.here();
            operands.push(match self.t.peek() {
                Some(b'"') => DecorationOperand::Text(self.t.string()?.into()),
                Some(b'@') => DecorationOperand::Global(self.global_name()?),
                Some(c) if c.is_ascii_digit() => DecorationOperand::Literal(self.t.small()?),
                Some(_) if self.t.eat("const") => DecorationOperand::Const(self.typed_constant()?),
                Some(c) if c.is_ascii_alphabetic() => {
                    let word = self.t.word()?;
                    let kind = kinds.get(operands.len()).copied();
                    let row = kind.and_then(|k| spirv_spec::enumerant_by_name(k, word));
                    let Some(row) = row else {
                        return Err(self.t.error_at(at, format!("`{word}` is not known here")));
                    };
                    DecorationOperand::Literal(row.value())
                }
                _ => return Ok(Decoration { kind, operands }),
            });
        }
    }

    /// What the source says of a parameter; those of a kernel stand in order.
    fn kernel_arg(&mut self) -> Read<()> {
        let func = self.func_name()?;
        let (name, type_name) = (self.t.string()?, self.t.string()?);
        let readonly = self.t.eat("readonly");
        let scalar = self.scalar_kind()?;
        let arg = KernelArg { name, type_name, readonly, scalar };
        self.m.functions[func].args.push(arg);
        Ok(())
    }

    fn entry_point(&mut self) -> Read<()> {
        let model = self.quoted("execution model")?;
        let func = self.func_name()?;
        let name = self.t.string()?;
        let mut interface = Vec::new();
        while self.t.eat(",") {
            interface.push(self.global_name()?);
        }
        let mut named = Vec::new();
        if self.t.eat("names") {
            self.t.expect("[")?;
            loop {
                named.push(self.global_name()?);
                if self.t.eat("]") {
                    break;
                }
                self.t.expect(",")?;
            }
        }
        let mut wave = None;
        if self.t.eat("wave") {
            self.t.expect("(")?;
            let least = self.t.small()?;
            self.t.expect(",")?;
            let most = self.t.small()?;
            let wanted = if self.t.eat(",") { Some(self.t.small()?) } else { None };
            self.t.expect(")")?;
            wave = Some(WaveSize { least, most, wanted });
        }
        let (local_size, modes) = ([0; 3], Vec::new());
        self.m.entry_points.push(EntryPoint { func, name, model, local_size, modes, interface, named, wave });
        Ok(())
    }

    fn func_name(&mut self) -> Read<Func> {
        let at = self.t.here();
        let name = self.t.name("@")?;
        match self.funcs.get(name) {
            Some(f) => Ok(*f),
            None => Err(self.t.error_at(at, format!("there is no function `@{name}`"))),
        }
    }

    /// `1 : i32`.
    fn typed_constant(&mut self) -> Read<Const> {
        let literal = self.literal(0)?;
        self.t.expect(":")?;
        let ty = self.read_type()?;
        self.constant(ty, &literal)
    }

    /// Of the entry point that was read last. The first `LocalSize` is its size.
    fn execution_mode(&mut self) -> Read<()> {
        let at = self.t.here();
        let func = self.func_name()?;
        let name_at = self.t.here();
        let name = self.t.string()?;
        let kind = name.parse().ok().or_else(|| name.parse().ok().map(ExecutionMode));
        let Some(kind) = kind else {
            return Err(self.t.error_at(name_at, format!("`{name}` is no execution mode")));
        };
        let mut mode = Mode::words(kind, &[]);
        while self.t.eat(",") {
            if self.t.eat("id") {
                mode.operands = ModeOperands::Consts(SmallVec::new());
            }
            match &mut mode.operands {
                ModeOperands::Words(words) => words.push(self.t.small()?),
                ModeOperands::Consts(_) => {
                    let c = self.typed_constant()?;
                    if let ModeOperands::Consts(list) = &mut mode.operands {
                        list.push(c);
                    }
                }
            }
        }
        let Some(e) = self.m.entry_points.last_mut().filter(|e| e.func == func) else {
            return Err(self.t.error_at(at, "an execution mode stands behind its entry point"));
        };
        match &mode.operands {
            ModeOperands::Words(words)
                if kind == ExecutionMode::LocalSize
                    && words.len() == 3
                    && e.local_size == [0; 3]
                    && e.modes.is_empty() =>
            {
                e.local_size = [words[0], words[1], words[2]];
            }
            _ => e.modes.push(mode),
        }
        Ok(())
    }
}
