//! Programs whose results are defined: each variable is set before it is read, indices are masked, divisors are odd, loops end. What
//! they compute tells whether a transformation keeps their meaning.

use super::Numbers;

/// How deep statements nest.
const DEPTH: usize = 4;

/// Kinds of expressions: `uint`, `int`, `float`, `bool`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Int,
    Float,
    Truth,
}

struct Maker<'a> {
    n: &'a mut Numbers,
    out: String,
    /// Loops around, by their counters.
    loops: usize,
    /// Whether a `break` leaves a loop or switch here, and whether the function returns a value.
    breakable: bool,
    count: usize,
    functions: usize,
    returns: bool,
}

const HEAD: &str = "struct Part { uint n; int m[3]; };
struct Whole { uint a; float b; Part p; uint2 v; float2x2 x; };
RWStructuredBuffer<uint> o;
RWStructuredBuffer<uint> banks[3];
struct Holder { uint n; RWStructuredBuffer<uint> of; };
uint taken(RWStructuredBuffer<uint> h, uint at) { if (h[at & 7] > 9) return at; h[at & 7] += 2; return h[at + 1 & 7]; }
static uint shared_count = 3;
static const uint table[4] = { 5, 9, 2, 77 };
";

/// A program.
pub fn program(numbers: &mut Numbers) -> String {
    let mut m = Maker {
        n: numbers,
        out: HEAD.to_string(),
        loops: 0,
        breakable: false,
        count: 0,
        functions: 0,
        returns: true,
    };
    for _ in 0..m.n.below(4) {
        m.function();
    }
    m.returns = false;
    m.out += "[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {\n";
    m.body("id.x", "id.y");
    m.out += "uint at = (id.x * 12) & 63;\n";
    let ends = ["a", "b", "(uint)i", "asuint(f)", "w.a", "asuint(w.b)", "w.p.n", "(uint)w.p.m[1]", "w.v.y"];
    for (k, e) in ends.iter().chain(&["asuint(w.x[1][0])", "r[2]", "shared_count"]).enumerate() {
        m.out += &format!("o[at + {k} & 63] = {e};\n");
    }
    m.out += "}\n";
    m.out
}

impl Maker<'_> {
    fn function(&mut self) {
        let name = self.functions;
        self.out += &format!("uint f{name}(uint p0, inout uint p1) {{\n");
        self.body("p0", "p1");
        let e = self.expression(Kind::Word, 2);
        self.out += &format!("p1 = {e};\nreturn w.a + a * 3;\n}}\n");
        self.functions += 1;
    }

    fn body(&mut self, a: &str, b: &str) {
        self.out +=
            &format!("uint a = {a}, b = {b} + 1; int i = (int)a - 2; float f = 1.5; bool t = a > b;\n");
        self.out += "Whole w = (Whole)0; uint r[4] = { 1, a, 3, b }; uint2 v = uint2(a, 4); Part q = w.p;\n";
        self.out += "RWStructuredBuffer<uint> h = banks[1]; Holder k; k.n = b; k.of = banks[a % 3];\n";
        for _ in 0..3 + self.n.below(6) {
            self.statement(DEPTH);
        }
    }

    fn block(&mut self, depth: usize) {
        self.out += "{\n";
        for _ in 0..=self.n.below(3) {
            self.statement(depth - 1);
        }
        self.out += "}\n";
    }

    fn statement(&mut self, depth: usize) {
        match self.n.below(if depth == 0 { 6 } else { 12 }) {
            0..=3 => self.assignment(),
            4 if self.functions > 0 => {
                let (f, e) = (self.n.below(self.functions), self.expression(Kind::Word, 2));
                let place = self.n.of(&["a", "b", "w.p.n", "r[1]"]);
                self.out += &format!("b += f{f}({e}, {place});\n");
            }
            5 if self.breakable && self.n.once_in(2) => {
                let c = self.expression(Kind::Truth, 1);
                self.out += &format!("if ({c}) break;\n");
            }
            5 => match (self.returns, self.n.once_in(3)) {
                (true, true) => {
                    let (c, e) = (self.expression(Kind::Truth, 1), self.expression(Kind::Word, 1));
                    self.out += &format!("if ({c}) return {e};\n");
                }
                (_, true) if self.loops > 0 => {
                    let c = self.expression(Kind::Truth, 1);
                    self.out += &format!("if ({c}) continue;\n");
                }
                _ => self.assignment(),
            },
            6 | 7 => {
                let c = self.expression(Kind::Truth, 2);
                self.out += &format!("if ({c}) ");
                self.block(depth);
                if self.n.once_in(2) {
                    self.out += "else ";
                    self.block(depth);
                }
            }
            8 | 9 if self.loops < 2 => {
                self.count += 1;
                let (c, end) = (format!("c{}", self.count), 1 + self.n.below(4));
                let around = std::mem::replace(&mut self.breakable, true);
                self.loops += 1;
                let mark = self.n.of(&["", "[unroll] "]);
                self.out += &format!("{mark}for (uint {c} = 0; {c} < {end}; {c}++) ");
                self.block(depth);
                self.loops -= 1;
                self.breakable = around;
            }
            10 => {
                let e = self.expression(Kind::Word, 1);
                self.out += &format!("switch ({e} & 3) {{\n");
                let around = std::mem::replace(&mut self.breakable, true);
                for label in ["case 0: case 3: ", "case 1: ", "default: "] {
                    self.out += label;
                    self.block(depth);
                    self.out += "break;\n";
                }
                self.breakable = around;
                self.out += "}\n";
            }
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) {
        let (kind, place) = self.n.of(&[
            (Kind::Word, "a"),
            (Kind::Word, "b"),
            (Kind::Word, "w.a"),
            (Kind::Word, "w.p.n"),
            (Kind::Word, "w.v.x"),
            (Kind::Word, "w.v[b & 1]"),
            (Kind::Word, "r[2]"),
            (Kind::Word, "r[a & 3]"),
            (Kind::Word, "v.y"),
            (Kind::Word, "shared_count"),
            (Kind::Word, "h[b & 7]"),
            (Kind::Word, "k.of[1]"),
            (Kind::Word, "banks[b % 3][a & 7]"),
            (Kind::Int, "i"),
            (Kind::Int, "w.p.m[1]"),
            (Kind::Int, "q.m[a % 3]"),
            (Kind::Float, "f"),
            (Kind::Float, "w.b"),
            (Kind::Float, "w.x[1][0]"),
            (Kind::Float, "w.x[a & 1].y"),
            (Kind::Truth, "t"),
        ]);
        if self.n.once_in(8) {
            self.out += self.n.of(&[
                "w.p = q;\n",
                "q = w.p;\n",
                "v = w.v.yx;\n",
                "w.v += v;\n",
                "w.x = -w.x;\n",
                "h = banks[b % 3];\n",
                "h = k.of;\n",
                "k.of = h;\n",
                "b += taken(h, a);\n",
                "a += taken(banks[a % 3], b);\n",
            ]);
            return;
        }
        let e = self.expression(kind, 3);
        self.out += &format!("{place} = {e};\n");
    }

    fn expression(&mut self, kind: Kind, depth: usize) -> String {
        let of = |m: &mut Self, kind| m.expression(kind, depth.saturating_sub(1));
        if depth == 0 || self.n.once_in(4) {
            return match kind {
                Kind::Word => self.n.of(&[
                    "a",
                    "b",
                    "0u",
                    "1u",
                    "7u",
                    "31u",
                    "0xffffffffu",
                    "w.a",
                    "w.p.n",
                    "w.v.y",
                    "r[3]",
                    "r[b & 3]",
                    "v.x",
                    "table[2]",
                    "table[a & 3]",
                    "h[a & 7]",
                    "k.of[b & 7]",
                    "banks[a % 3][2]",
                    "shared_count",
                ]),
                Kind::Int => self.n.of(&["i", "-1", "2", "w.p.m[1]", "w.p.m[b % 3]", "q.m[0]", "0"]),
                Kind::Float => self.n.of(&["f", "0.5", "w.b", "w.x[1][0]", "-2.0", "w.x[b & 1].x", "0.0"]),
                Kind::Truth => self.n.of(&["t", "true", "false", "a == b"]),
            }
            .to_string();
        }
        match kind {
            Kind::Word => match self.n.below(8) {
                0 => format!("({} + {})", of(self, kind), of(self, kind)),
                1 => format!("({} * {})", of(self, kind), of(self, kind)),
                2 => format!("({} - {})", of(self, kind), of(self, kind)),
                3 => format!("({} / ({} | 1))", of(self, kind), of(self, kind)),
                4 => format!("({} ^ ({} << ({} & 31)))", of(self, kind), of(self, kind), of(self, kind)),
                5 => format!("({} ? {} : {})", of(self, Kind::Truth), of(self, kind), of(self, kind)),
                6 => format!("(uint){}", of(self, Kind::Int)),
                _ => format!("({} & ~{})", of(self, kind), of(self, kind)),
            },
            Kind::Int => match self.n.below(5) {
                0 => format!("({} + {})", of(self, kind), of(self, kind)),
                1 => format!("({} * {})", of(self, kind), of(self, kind)),
                2 => format!("({} >> 3)", of(self, kind)),
                3 => format!("(int){}", of(self, Kind::Word)),
                _ => format!("(int)((float)({} & 255) * 0.5)", of(self, kind)),
            },
            Kind::Float => match self.n.below(5) {
                0 => format!("({} + {})", of(self, kind), of(self, kind)),
                1 => format!("({} * {})", of(self, kind), of(self, kind)),
                2 => format!("({} - {})", of(self, kind), of(self, kind)),
                3 => format!("(float)({} & 15)", of(self, Kind::Word)),
                _ => format!("-({})", of(self, kind)),
            },
            Kind::Truth => match self.n.below(5) {
                0 => format!("({} < {})", of(self, Kind::Word), of(self, Kind::Word)),
                1 => format!("({} >= {})", of(self, Kind::Int), of(self, Kind::Int)),
                2 => format!("({} < {})", of(self, Kind::Float), of(self, Kind::Float)),
                3 => format!("!{}", of(self, kind)),
                _ => format!("({} && {})", of(self, kind), of(self, kind)),
            },
        }
    }
}
