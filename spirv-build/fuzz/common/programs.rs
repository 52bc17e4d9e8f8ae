//! Programs made by rules. Each declaration uses those before it, so that chains grow: structures of structures, templates of
//! templates, macros that call macros, functions that call functions. Most of what is made is valid HLSL.

use super::bodies::Scope;
use super::{Numbers, flags};

/// What a type is.
#[derive(Clone)]
pub enum Shape {
    /// Rows and columns of a scalar; one row: a vector.
    Numeric { scalar: &'static str, rows: usize, columns: usize },
    /// Members with their types.
    Struct(Vec<(String, usize)>),
    /// Elements of a type.
    Array(usize),
}

/// A type that has a name.
#[derive(Clone)]
pub struct Type {
    pub name: String,
    pub shape: Shape,
}

/// How an argument goes to a function, and its type.
pub type Parameter = (&'static str, usize);

pub struct Function {
    pub name: String,
    pub result: usize,
    pub parameters: Vec<Parameter>,
}

/// What is at hand everywhere: an expression of a type, and whether it can be assigned.
#[derive(Clone)]
pub struct Place {
    pub text: String,
    pub ty: usize,
    pub writable: bool,
}

/// A program in the making.
pub struct Maker {
    pub numbers: Numbers,
    pub out: String,
    pub types: Vec<Type>,
    pub functions: Vec<Function>,
    pub places: Vec<Place>,
    /// Macros of two arguments.
    pub macros: Vec<String>,
    /// Statements with `$` for a value of the type.
    pub effects: Vec<(String, usize)>,
    /// Templates of structures.
    templates: Vec<String>,
    /// Namespaces around.
    path: String,
    count: usize,
    /// Only such resources as all devices have.
    simple: bool,
}

type Rule = fn(&mut Maker);

/// The rules, more frequent ones several times.
const RULES: &[Rule] = &[
    Maker::structure,
    Maker::structure,
    Maker::derived,
    Maker::array,
    Maker::alias,
    Maker::template_structure,
    Maker::template_instance,
    Maker::template_instance,
    Maker::template_function,
    Maker::function,
    Maker::function,
    Maker::function,
    Maker::resource,
    Maker::resource,
    Maker::resource,
    Maker::constants,
    Maker::constants,
    Maker::variable,
    Maker::macro_of_macros,
    Maker::enumeration,
    Maker::namespace,
    Maker::inline_spirv,
    Maker::specialization,
];

/// So many of the resources, the first, run everywhere.
const SIMPLE: usize = 9;

const SCALARS: &[&str] =
    &["float", "int", "uint", "bool", "half", "double", "min16float", "int16_t", "uint64_t", "float16_t"];

/// What is bound, for a type `T` (any), `V` (a vector or scalar of numbers) or `S` (a structure); `@` is the name. Behind: the
/// expression that reads it (and writes it, with `=` before), and a statement with a value `$`.
const RESOURCES: &[(&str, char, &str, &str)] = &[
    ("RWStructuredBuffer<T> @", 'T', "=@[sel]", "InterlockedAdd(@counter[sel], 1);"),
    ("StructuredBuffer<T> @ : register(t3)", 'T', "@.Load(sel)", ""),
    ("RWByteAddressBuffer @", 'T', "@.Load<T>(sel * 4)", "@.Store<T>(sel * 16, $);"),
    ("ByteAddressBuffer @", 'T', "@.Load<T>(sel * 4)", ""),
    ("ConstantBuffer<S> @", 'S', "@", ""),
    ("groupshared T @[8]", 'T', "=@[sel & 7]", "GroupMemoryBarrierWithGroupSync();"),
    ("groupshared T @", 'T', "=@", "AllMemoryBarrier();"),
    ("Texture2D<V> @", 'V', "@[uint2(sel, 1)]", ""),
    ("RWTexture2D<V> @", 'V', "=@[uint2(sel, 0)]", "@[uint2(0, sel)] = $;"),
    ("RWStructuredBuffer<T> @", 'T', "=@[@.IncrementCounter()]", "@[sel & 3] = $;"),
    ("RWStructuredBuffer<T> @ : register(u5, space2)", 'T', "=@[sel + 1]", "@[@.DecrementCounter()] = $;"),
    ("RWStructuredBuffer<T> @[3]", 'T', "=@[sel % 3][sel]", "@[1][sel] = $;"),
    ("StructuredBuffer<T> @[4]", 'T', "@[NonUniformResourceIndex(sel)][2]", ""),
    ("StructuredBuffer<T> @[]", 'T', "@[sel][2]", ""),
    ("AppendStructuredBuffer<T> @", 'T', "", "@.Append($);"),
    ("ConsumeStructuredBuffer<T> @", 'T', "@.Consume()", ""),
    ("ConstantBuffer<S> @[2] : register(b4)", 'S', "@[sel & 1]", ""),
    ("TextureBuffer<S> @", 'S', "@", ""),
    ("[[vk::push_constant]] S @", 'S', "@", ""),
    ("[[vk::binding(7, 1)]] [[vk::counter_binding(8)]] RWStructuredBuffer<T> @", 'T', "=@[sel]", ""),
    ("Texture2D<V> @[3]", 'V', "@[sel % 3].Load(int3(sel, 0, 0), int2(1, -1))", ""),
    ("Texture2DArray<V> @", 'V', "@.Load(int4(sel, 0, 0, 0))", ""),
    ("Texture1D<V> @", 'V', "@.mips[1][sel]", ""),
    ("Texture3D<V> @", 'V', "@[uint3(sel, sel, 0)]", ""),
    ("Texture2D<float4> @; SamplerState @s", 'C', "@.SampleLevel(@s, float2(0.5, 0.5), 0)", ""),
    (
        "Texture2D<float> @; SamplerComparisonState @s",
        'F',
        "@.SampleCmpLevelZero(@s, float2(0.5, 0.5), 0)",
        "",
    ),
    (
        "TextureCube<float4> @; SamplerState @s[2]",
        'C',
        "@.SampleLevel(@s[sel & 1], float3(0, 0, 1), sel)",
        "",
    ),
    (
        "[[vk::image_format(\"rgba32f\")]] RWTexture2D<float4> @",
        'C',
        "=@[uint2(sel, 0)]",
        "@[uint2(0, sel)] = $;",
    ),
    ("globallycoherent RWTexture3D<V> @", 'V', "=@[uint3(sel, 0, 0)]", ""),
    ("RWTexture2DArray<V> @[2]", 'V', "=@[1][uint3(sel, 0, 0)]", ""),
    ("Buffer<V> @", 'V', "@[sel]", ""),
    ("RWBuffer<V> @", 'V', "=@[sel]", "@[sel] = $;"),
    ("RWBuffer<uint> @", 'U', "=@[sel]", "InterlockedOr(@[sel], $);"),
];

impl Maker {
    pub fn new(numbers: &mut Numbers) -> Self {
        let mut maker = Maker {
            numbers: Numbers(numbers.below(usize::MAX) as u64),
            out: String::new(),
            types: Vec::new(),
            functions: Vec::new(),
            places: Vec::new(),
            macros: Vec::new(),
            effects: Vec::new(),
            templates: Vec::new(),
            path: String::new(),
            count: 0,
            simple: numbers.once_in(2),
        };
        for scalar in ["float", "int", "uint"] {
            maker.number(scalar, 1, 1);
        }
        maker.line("static uint sel;");
        maker.places.push(Place { text: "sel".into(), ty: 2, writable: true });
        maker
    }

    pub fn line(&mut self, text: &str) {
        self.out += text;
        self.out.push('\n');
    }

    /// A new name, and how it is called from anywhere.
    fn name(&mut self, letter: &str) -> (String, String) {
        self.count += 1;
        let name = format!("{letter}{}", self.count);
        let full = format!("{}{name}", self.path);
        (name, full)
    }

    fn define(&mut self, name: String, shape: Shape) -> usize {
        self.types.push(Type { name, shape });
        self.types.len() - 1
    }

    /// A type of numbers, made known where it is new.
    pub fn number(&mut self, scalar: &'static str, rows: usize, columns: usize) -> usize {
        let name = match (rows, columns) {
            (1, 1) => scalar.to_string(),
            (1, n) => format!("{scalar}{n}"),
            (r, c) => format!("{scalar}{r}x{c}"),
        };
        match self.types.iter().position(|t| t.name == name) {
            Some(known) => known,
            None => self.define(name, Shape::Numeric { scalar, rows, columns }),
        }
    }

    /// Any type: often the last one, so that chains grow.
    pub fn ty(&mut self) -> usize {
        match self.numbers.below(8) {
            0..=3 => self.types.len() - 1,
            4 | 5 => self.numbers.below(self.types.len()),
            _ => {
                let scalar = self.numbers.of(SCALARS);
                let (rows, columns) =
                    self.numbers.of(&[(1, 1), (1, 1), (1, 2), (1, 3), (1, 4), (2, 3), (4, 4)]);
                self.number(scalar, rows, columns)
            }
        }
    }

    fn vector(&mut self) -> usize {
        let (scalar, columns) = (self.numbers.of(&["float", "int", "uint"]), 1 + self.numbers.below(4));
        self.number(scalar, 1, columns)
    }

    fn type_name(&self, ty: usize) -> String {
        self.types[ty].name.clone()
    }

    fn structure(&mut self) {
        let (name, full) = self.name("S");
        self.members(&format!("struct {name}"), full, Vec::new());
    }

    /// A structure with a base.
    fn derived(&mut self) {
        let bases: Vec<usize> =
            (0..self.types.len()).filter(|t| matches!(self.types[*t].shape, Shape::Struct(_))).collect();
        let Some(&base) = bases.last() else { return self.structure() };
        let Shape::Struct(members) = self.types[base].shape.clone() else { return };
        let (name, full) = self.name("D");
        self.members(&format!("struct {name} : {}", self.type_name(base)), full, members);
    }

    fn members(&mut self, head: &str, full: String, mut members: Vec<(String, usize)>) {
        let mut text = format!("{head} {{");
        for _ in 0..=self.numbers.below(3) {
            let ty = self.ty();
            let (member, _) = self.name("m");
            let long = if self.numbers.once_in(6) {
                format!("[{}]", 1 + self.numbers.below(3))
            } else {
                String::new()
            };
            let bits = if self.types[ty].name == "uint" && self.numbers.once_in(4) { " : 5" } else { "" };
            text += &format!(" {} {member}{long}{bits};", self.type_name(ty));
            if long.is_empty() {
                members.push((member, ty));
            }
        }
        if let Some((member, ty)) = members.first().filter(|_| self.numbers.once_in(3)) {
            let ty = self.type_name(*ty);
            text += &format!(" {ty} get() {{ return {member}; }} void set({ty} a) {{ this.{member} = a; }}");
        }
        self.line(&(text + " };"));
        self.define(full, Shape::Struct(members));
    }

    fn array(&mut self) {
        let (element, (name, full)) = (self.ty(), self.name("A"));
        let len = self.numbers.of(&[1, 2, 2, 3, 4, 16, 300]);
        self.line(&format!("typedef {} {name}[{len}];", self.type_name(element)));
        self.define(full, Shape::Array(element));
    }

    fn alias(&mut self) {
        let (ty, (name, full)) = (self.ty(), self.name("Y"));
        let known = self.type_name(ty);
        let text = if self.numbers.once_in(2) {
            format!("using {name} = {known};")
        } else {
            format!("typedef {known} {name};")
        };
        self.line(&text);
        self.define(full, self.types[ty].shape.clone());
    }

    /// A template whose members are instances of another one.
    fn template_structure(&mut self) {
        let (name, full) = self.name("P");
        let member = match self.templates.last() {
            Some(inner) if self.numbers.once_in(2) => format!("{inner}<T, N> c; {inner}<T[N], 2> d;"),
            Some(inner) => format!("{inner}<{inner}<T, N>, N + 1> c;"),
            None => "T c;".into(),
        };
        self.line(&format!(
            "template<typename T, int N> struct {name} {{ T a; T b[N]; {member} T first() {{ return a; }} }};"
        ));
        self.templates.push(full);
    }

    fn template_instance(&mut self) {
        let Some(template) = self.templates.last().cloned() else { return self.template_structure() };
        let (ty, (name, full), n) = (self.ty(), self.name("I"), 1 + self.numbers.below(3));
        self.line(&format!("typedef {template}<{}, {n}> {name};", self.type_name(ty)));
        self.define(full, Shape::Struct(vec![("a".into(), ty), ("first()".into(), ty)]));
    }

    fn template_function(&mut self) {
        let (ty, (name, full)) = (self.ty(), self.name("t"));
        let ty_name = self.type_name(ty);
        let inner = match self.functions.last() {
            Some(f) if f.parameters.len() == 1 && f.result == ty => format!("{}(x)", f.name),
            _ => "x".into(),
        };
        self.line(&format!(
            "template<typename T> T {name}(T x) {{ T y = x; return y; }} template<> {ty_name} {name}<{ty_name}>({ty_name} x) {{ return {inner}; }}"
        ));
        self.functions.push(Function { name: full, result: ty, parameters: vec![("", ty)] });
    }

    fn function(&mut self) {
        let (result, (name, full)) = (self.ty(), self.name("f"));
        let mut parameters = Vec::new();
        for _ in 0..self.numbers.below(4) {
            parameters.push((self.numbers.of(&["", "", "in", "const", "out", "inout"]), self.ty()));
        }
        let list: Vec<String> = parameters
            .iter()
            .enumerate()
            .map(|(i, (mode, ty))| format!("{mode} {} p{i}", self.type_name(*ty)).trim_start().to_string())
            .collect();
        let mark = self.numbers.of(&["", "", "", "[noinline] ", "inline ", "precise ", "static "]);
        let head = format!("{mark}{} {name}({})", self.type_name(result), list.join(", "));
        let body = Scope::new(self, &parameters).body(Some(result));
        self.line(&format!("{head} {{\n{body}}}"));
        self.functions.push(Function { name: full, result, parameters });
    }

    fn resource(&mut self) {
        let (declaration, class, place, effect) = match self.simple {
            true => self.numbers.of(&RESOURCES[..SIMPLE]),
            false => self.numbers.of(RESOURCES),
        };
        let ty = match class {
            'V' => self.vector(),
            'C' => self.number("float", 1, 4),
            'F' => 0,
            'U' => 2,
            'S' => {
                match (0..self.types.len()).rev().find(|t| matches!(self.types[*t].shape, Shape::Struct(_))) {
                    Some(ty) => ty,
                    None => return self.structure(),
                }
            }
            _ => self.ty(),
        };
        let (name, full) = self.name("r");
        let known = self.type_name(ty);
        self.line(&format!("{};", filled(declaration, &known, &name)));
        if !place.is_empty() {
            let (text, writable) =
                (place.trim_start_matches('=').replace("<T>", &format!("<{known}>")), place.starts_with('='));
            self.places.push(Place { text: text.replace('@', &full), ty, writable });
        }
        if effect.contains("@counter") {
            self.line(&format!("RWStructuredBuffer<uint> {name}counter;"));
        }
        if !effect.is_empty() {
            let effect = effect.replace("<T>", &format!("<{known}>")).replace('@', &full);
            self.effects.push((effect, ty));
        }
    }

    fn constants(&mut self) {
        let (name, _) = self.name("c");
        let (mut text, mut at) = (format!("cbuffer {name} {{\n"), 0);
        let packed = self.numbers.once_in(3);
        for _ in 0..=self.numbers.below(3) {
            let (ty, (member, full)) = (self.ty(), self.name("k"));
            let order = self.numbers.of(&["", "", "row_major ", "column_major "]);
            let matrix = matches!(self.types[ty].shape, Shape::Numeric { rows, .. } if rows > 1);
            let order = if matrix { order } else { "" };
            let offset = if packed { format!(" : packoffset(c{at})") } else { String::new() };
            at += self.numbers.of(&[1, 16, 400, 400]);
            text += &format!("  {order}{} {member}{offset};\n", self.type_name(ty));
            self.places.push(Place { text: full, ty, writable: false });
        }
        self.line(&(text + "};"));
    }

    fn variable(&mut self) {
        let (ty, (name, full)) = (self.ty(), self.name("g"));
        let known = self.type_name(ty);
        let (text, writable) = match self.numbers.below(4) {
            0 => (format!("static const {known} {name} = ({known})0;"), false),
            1 => (format!("{known} {name};"), false),
            2 => (format!("static {known} {name} = ({known})0;"), true),
            _ => (format!("static {known} {name};"), true),
        };
        self.line(&text);
        self.places.push(Place { text: full, ty, writable });
    }

    fn macro_of_macros(&mut self) {
        // Each doubles: more are refused.
        if self.macros.len() == 14 {
            return;
        }
        let (name, _) = self.name("M");
        let body = match self.macros.last() {
            Some(last) if self.numbers.once_in(2) => format!("({last}(b, a) + {last}(a, a))"),
            Some(last) => format!("{last}(({last}(a, b)), b)"),
            None => "((a) + (b))".into(),
        };
        self.line(&format!("#define {name}(a, b) {body}"));
        self.macros.push(name);
    }

    fn enumeration(&mut self) {
        let ((name, full), (first, _), (second, _)) = (self.name("E"), self.name("e"), self.name("e"));
        let of = self.numbers.of(&["", " : uint", " : int64_t"]);
        let class = self.numbers.of(&["", "class "]);
        self.line(&format!("enum {class}{name}{of} {{ {first} = 3, {second} = {first} + 2 }};"));
        self.places.push(Place { text: format!("((uint){full}::{second})"), ty: 2, writable: false });
    }

    fn namespace(&mut self) {
        if self.path.matches("::").count() > 4 {
            return;
        }
        let (name, full) = self.name("N");
        let old = std::mem::replace(&mut self.path, format!("{full}::"));
        self.line(&format!("namespace {name} {{"));
        for _ in 0..=self.numbers.below(4) {
            self.rule();
        }
        self.line("}");
        self.path = old;
    }

    fn inline_spirv(&mut self) {
        let (name, full) = self.name("x");
        let (text, ty) = match self.numbers.below(4) {
            0 => (format!("[[vk::ext_instruction(13, \"GLSL.std.450\")]] float {name}(float a);"), 0),
            1 => (format!("[[vk::ext_instruction(0x7e, \"\")]] int {name}(int a);"), 1),
            2 => (
                format!(
                    "[[vk::ext_extension(\"SPV_KHR_shader_clock\")]] [[vk::ext_capability(5055)]] [[vk::ext_instruction(5056)]] uint {name}(uint a);"
                ),
                2,
            ),
            _ => (format!("[[vk::ext_instruction(61)]] float {name}([[vk::ext_reference]] float a);"), 0),
        };
        self.line(&text);
        self.functions.push(Function { name: full, result: ty, parameters: vec![("", ty)] });
    }

    fn specialization(&mut self) {
        let ((name, full), id) = (self.name("q"), self.count);
        let value = self.numbers.below(9);
        self.line(&format!("[[vk::constant_id({id})]] const uint {name} = {value};"));
        self.places.push(Place { text: full, ty: 2, writable: false });
    }

    fn rule(&mut self) {
        let rule = self.numbers.of(RULES);
        // Now and then a chain of one rule.
        let times = if self.numbers.once_in(6) { 2 + self.numbers.below(24) } else { 1 };
        for _ in 0..times {
            rule(self);
        }
    }

    fn entry(&mut self) {
        let body = Scope::new(self, &[]).body(None);
        let shader = if self.numbers.once_in(2) { "[shader(\"compute\")] " } else { "" };
        let size = self.numbers.of(&["1, 1, 1", "64, 1, 1", "8, 8, 1", "4, 2, 3"]);
        self.line(&format!("{shader}[numthreads({size})]\nvoid main(uint3 id : SV_DispatchThreadID) {{\nsel = id.x;\n{body}}}"));
    }
}

/// A declaration with the type's name for the letter of the type where that stands alone, and the resource's name for `@`.
fn filled(declaration: &str, ty: &str, name: &str) -> String {
    let mut out = String::new();
    let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let chars: Vec<char> = declaration.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        let alone = !word(i.checked_sub(1).map(|i| chars[i])) && !word(chars.get(i + 1).copied());
        match c {
            'T' | 'V' | 'S' if alone => out += ty,
            '@' => out += name,
            c => out.push(c),
        }
    }
    out
}

/// A program, with its command line.
pub fn program(numbers: &mut Numbers) -> String {
    let line = flags::line(numbers);
    let mut maker = Maker::new(numbers);
    for _ in 0..=2 + maker.numbers.below(16) {
        maker.rule();
    }
    maker.entry();
    line + &maker.out
}

/// Some declarations, to stand in another program.
pub fn declarations(numbers: &mut Numbers) -> String {
    let mut maker = Maker::new(numbers);
    for _ in 0..=maker.numbers.below(4) {
        maker.rule();
    }
    maker.out
}
