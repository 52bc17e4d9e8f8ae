//! Statements and expressions of the programs that are made.

use super::programs::{Maker, Parameter, Place, Shape};

/// How deep statements nest, and expressions.
const DEPTH: usize = 4;

/// The body of a function in the making.
pub struct Scope<'a> {
    maker: &'a mut Maker,
    locals: Vec<Place>,
    loops: usize,
    count: usize,
    /// Expressions that may still be made: they multiply.
    budget: usize,
}

impl<'a> Scope<'a> {
    pub fn new(maker: &'a mut Maker, parameters: &[Parameter]) -> Self {
        let place = |(i, (mode, ty)): (usize, &Parameter)| Place {
            text: format!("p{i}"),
            ty: *ty,
            writable: *mode != "const",
        };
        let locals = parameters.iter().enumerate().map(place).collect();
        Scope { maker, locals, loops: 0, count: 0, budget: 120 }
    }

    fn below(&mut self, n: usize) -> usize {
        self.maker.numbers.below(n)
    }

    fn type_name(&self, ty: usize) -> String {
        self.maker.types[ty].name.clone()
    }

    /// Statements, and what is returned.
    pub fn body(mut self, result: Option<usize>) -> String {
        // What is given out is written first.
        let mut out = String::new();
        for p in self.locals.clone().iter().filter(|p| p.writable) {
            if self.below(4) > 0 {
                out += &format!("{} = ({})0;\n", p.text, self.type_name(p.ty));
            }
        }
        for _ in 0..=self.below(5) {
            out += &self.statement(DEPTH);
        }
        match result {
            Some(ty) => out + &format!("return {};\n", self.expression(ty, DEPTH)),
            None => out,
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let (known, mut out) = (self.locals.len(), String::from("{\n"));
        for _ in 0..=self.below(3) {
            out += &self.statement(depth.saturating_sub(1));
        }
        self.locals.truncate(known);
        out + "}\n"
    }

    fn looped(&mut self, depth: usize) -> String {
        self.loops += 1;
        let out = self.block(depth);
        self.loops -= 1;
        out
    }

    fn statement(&mut self, depth: usize) -> String {
        let nested = if depth == 0 { 6 } else { 14 };
        match self.below(nested) {
            0 | 1 => self.declaration(),
            2 | 3 => match self.writable() {
                Some(place) => {
                    let value = self.expression(place.ty, depth.min(3));
                    format!("{} = {value};\n", place.text)
                }
                None => self.declaration(),
            },
            4 => match self.effect() {
                Some(text) => text,
                None => self.declaration(),
            },
            5 => match self.below(8) {
                0 if self.loops > 0 => "break;\n".into(),
                1 if self.loops > 0 => "continue;\n".into(),
                2 => "if (sel == 77) sel = 1;\n".into(),
                _ => {
                    let ty = self.maker.ty();
                    format!("{};\n", self.expression(ty, 2))
                }
            },
            6 | 7 => {
                let mark = self.maker.numbers.of(&["", "", "[branch] ", "[flatten] "]);
                let (condition, then) = (self.condition(), self.block(depth));
                let other =
                    if self.below(2) == 0 { format!("else {}", self.block(depth)) } else { String::new() };
                format!("{mark}if ({condition}) {then}{other}")
            }
            8 | 9 => {
                let mark =
                    self.maker.numbers.of(&["", "", "[loop] ", "[unroll] ", "[unroll(3)] ", "[fastopt] "]);
                let (name, n) = (self.local(), self.maker.numbers.of(&["2", "4", "sel", "100", "1000"]));
                let place = Place { text: name.clone(), ty: 1, writable: false };
                self.locals.push(place);
                let body = self.looped(depth);
                self.locals.pop();
                format!("{mark}for (int {name} = 0; {name} < {n}; ++{name}) {body}")
            }
            10 => {
                let (condition, body) = (self.condition(), self.looped(depth));
                format!("while ({condition}) {body}")
            }
            11 => {
                let (body, condition) = (self.looped(depth), self.condition());
                format!("do {body} while ({condition});\n")
            }
            12 => {
                let mark = self.maker.numbers.of(&["", "[branch] ", "[forcecase] ", "[call] "]);
                let value = self.expression(1, 1);
                let (a, b, c) = (self.block(depth), self.block(depth), self.block(depth));
                let end = self.maker.numbers.of(&["break;", "break;", ""]);
                format!(
                    "{mark}switch ({value}) {{\ncase 0: case 3: {a}{end}\ncase 1: {b}break;\ndefault: {c}break;\n}}\n"
                )
            }
            _ => self.block(depth),
        }
    }

    fn local(&mut self) -> String {
        self.count += 1;
        format!("v{}", self.count)
    }

    fn declaration(&mut self) -> String {
        let (ty, name) = (self.maker.ty(), self.local());
        let value = self.expression(ty, 3);
        let mark = self.maker.numbers.of(&["", "", "", "const ", "precise ", "static "]);
        let text = format!("{mark}{} {name} = {value};\n", self.type_name(ty));
        self.locals.push(Place { text: name, ty, writable: mark != "const " });
        text
    }

    /// A statement for its effect: a call that writes arguments, or what a resource does.
    fn effect(&mut self) -> Option<String> {
        if !self.maker.effects.is_empty() && self.below(2) == 0 {
            let at = self.below(self.maker.effects.len());
            let (text, ty) = self.maker.effects[at].clone();
            let value = self.expression(ty, 2);
            return Some(text.replace('$', &value) + "\n");
        }
        if self.maker.functions.is_empty() {
            return None;
        }
        let at = self.below(self.maker.functions.len());
        self.call(at, 2).map(|c| c + ";\n")
    }

    fn call(&mut self, function: usize, depth: usize) -> Option<String> {
        let (name, parameters) =
            (self.maker.functions[function].name.clone(), self.maker.functions[function].parameters.clone());
        let mut arguments = Vec::new();
        for (mode, ty) in parameters {
            arguments.push(match mode {
                "out" | "inout" => {
                    let fits =
                        self.places().into_iter().filter(|p| p.writable && p.ty == ty).collect::<Vec<_>>();
                    fits.get(self.below(fits.len()))?.text.clone()
                }
                _ => self.expression(ty, depth.saturating_sub(1)),
            });
        }
        Some(format!("{name}({})", arguments.join(", ")))
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.expression(1, 1), self.expression(1, 1));
        let op = self.maker.numbers.of(&["<", ">", "==", "!=", "<=", "&&", "||"]);
        format!("{a} {op} {b}")
    }

    fn places(&self) -> Vec<Place> {
        self.locals.iter().chain(&self.maker.places).cloned().collect()
    }

    /// What can be assigned: a variable, or a part of it.
    fn writable(&mut self) -> Option<Place> {
        let mut list = self.places();
        list.retain(|p| p.writable);
        let mut place = list.get(self.below(list.len()))?.clone();
        while self.below(2) == 0 {
            match self.part(&place) {
                Some(part) => place = part,
                None => break,
            }
        }
        Some(place)
    }

    /// A member or an element.
    fn part(&mut self, of: &Place) -> Option<Place> {
        match self.maker.types[of.ty].shape.clone() {
            Shape::Struct(members) => {
                let (name, ty) = members.get(self.below(members.len()))?.clone();
                if name.contains('(') {
                    return None;
                }
                Some(Place { text: format!("{}.{name}", of.text), ty, ..*of })
            }
            Shape::Array(ty) => {
                let index = self.maker.numbers.of(&["0", "sel", "sel & 1"]);
                Some(Place { text: format!("{}[{index}]", of.text), ty, ..*of })
            }
            Shape::Numeric { scalar, rows: 1, columns } if columns > 1 => {
                let ty = self.maker.number(scalar, 1, 1);
                let part = self.maker.numbers.of(&[".x", ".y", "[sel & 1]"]);
                Some(Place { text: format!("{}{part}", of.text), ty, ..*of })
            }
            _ => None,
        }
    }

    /// A value of a type.
    fn expression(&mut self, ty: usize, depth: usize) -> String {
        let zero = format!("(({})0)", self.type_name(ty));
        for _ in 0..3 {
            let Some(left) = self.budget.checked_sub(1) else { return zero };
            self.budget = left;
            match self.below(8) {
                0..=2 => {
                    let list: Vec<Place> = self.places().into_iter().filter(|p| p.ty == ty).collect();
                    if !list.is_empty() {
                        return list[self.below(list.len())].text.clone();
                    }
                }
                3 | 4 if depth > 0 => {
                    let fits: Vec<usize> = (0..self.maker.functions.len())
                        .filter(|f| self.maker.functions[*f].result == ty)
                        .collect();
                    if let Some(&f) = fits.last()
                        && let Some(call) = self.call(f, depth)
                    {
                        return call;
                    }
                }
                5 => {
                    let list = self.places();
                    let whole = list[self.below(list.len())].clone();
                    if let Some(part) = self.part(&whole).filter(|p| p.ty == ty) {
                        return part.text;
                    }
                }
                _ if depth > 0 => {
                    if let Shape::Numeric { scalar, rows, columns } = self.maker.types[ty].shape {
                        return self.arithmetic(ty, scalar, rows * columns, depth - 1);
                    }
                }
                _ => {}
            }
        }
        zero
    }

    fn arithmetic(&mut self, ty: usize, scalar: &str, count: usize, depth: usize) -> String {
        if scalar == "bool" {
            return format!("(({})({}))", self.type_name(ty), self.condition());
        }
        if ty == 1 && !self.maker.macros.is_empty() && self.below(3) == 0 {
            let last = self.maker.macros[self.maker.macros.len() - 1].clone();
            return format!("{last}(1, 2)");
        }
        let (a, b) = (self.expression(ty, depth), self.expression(ty, depth));
        match self.below(9) {
            0 => format!("({a} * {b})"),
            1 => format!("(-{a})"),
            2 if count == 1 => format!("({} ? {a} : {b})", self.condition()),
            3 => format!("max({a}, {b})"),
            4 => format!("clamp({a}, {b}, {a})"),
            5 => {
                let call = self.maker.numbers.of(&[
                    "WaveActiveSum",
                    "WaveReadLaneFirst",
                    "abs",
                    "sign",
                    "WavePrefixSum",
                ]);
                format!("{call}({a})")
            }
            6 => format!("({a} / (({})3))", self.type_name(ty)),
            7 => format!("(({})({}))", self.type_name(ty), self.expression(2, depth)),
            _ => format!("({a} + {b})"),
        }
    }
}
