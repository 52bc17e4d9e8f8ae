//! Binary modules as text, in the syntax of SPIR-V's own assembler: `%4 = OpFAdd %2 %3 %3`.
//!
//! Operands are read as the specification says. An instruction or enumerant that the table does not know is printed by its
//! number, with its words; a truncated module is an error that says where.

use rustc_hash::FxHashMap;
use spirv_spec::Op;
use spirv_spec::{Category, ExtSet, Kind, OpRow, OperandRow, Quantifier};
use std::fmt::Write;

/// Words of a module's header.
const HEADER: usize = 5;

/// The text of a module.
///
/// # Errors
/// The words are no SPIR-V module, or an instruction runs past the end.
pub fn disassemble(words: &[u32]) -> Result<String, String> {
    let [magic, version, generator, bound, _schema, ..] = *words else {
        return Err("a SPIR-V module has at least five words".into());
    };
    if magic != spirv_spec::MAGIC_NUMBER {
        return Err(format!("the first word is {magic:#010x}, not that of a SPIR-V module"));
    }
    let mut d = Disassembler { out: String::new(), types: FxHashMap::default(), sets: FxHashMap::default() };
    let (major, minor) = (version >> 16 & 0xff, version >> 8 & 0xff);
    // Writing to a String cannot fail.
    let _ =
        writeln!(d.out, "; SPIR-V\n; Version: {major}.{minor}\n; Generator: {generator}\n; Bound: {bound}");
    let mut at = HEADER;
    while let Some(&first) = words.get(at) {
        let count = (first >> 16) as usize;
        let Some(operands) = words.get(at + 1..at + count).filter(|_| count > 0) else {
            return Err(format!("the instruction at word {at} runs past the end of the module"));
        };
        d.instruction(first & 0xffff, operands);
        at += count;
    }
    Ok(d.out)
}

struct Disassembler {
    out: String,
    /// Scalar types by id: width in bits, and whether it is a float and signed. For literals of their constants.
    types: FxHashMap<u32, (u32, bool, bool)>,
    /// Extended instruction sets by id.
    sets: FxHashMap<u32, String>,
}

/// Words of an instruction that are still to be read.
struct Words<'a>(&'a [u32]);

impl Words<'_> {
    fn next(&mut self) -> Option<u32> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// A string: bytes up to a zero, filled up to whole words.
    fn string(&mut self) -> String {
        let mut bytes = Vec::new();
        while let Some(word) = self.next() {
            let part = word.to_le_bytes();
            match part.iter().position(|b| *b == 0) {
                Some(end) => {
                    bytes.extend(&part[..end]);
                    break;
                }
                None => bytes.extend(part),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Disassembler {
    fn instruction(&mut self, code: u32, operands: &[u32]) {
        let mut words = Words(operands);
        let Some(row) = Op::from_u32(code).and_then(Op::row) else {
            let _ = write!(self.out, "Op#{code}");
            operands.iter().for_each(|w| self.number(*w));
            self.out.push('\n');
            return;
        };
        self.note(code, operands);
        let ty = if row.has_type() { words.next() } else { None };
        let result = if row.has_result() { words.next() } else { None };
        if let Some(result) = result {
            let _ = write!(self.out, "%{result} = ");
        }
        let _ = write!(self.out, "Op{}", row.name());
        if let Some(ty) = ty {
            let _ = write!(self.out, " %{ty}");
        }
        let mut set = None;
        for operand in row.operands() {
            self.operands(operand, &mut words, ty, &mut set);
        }
        words.0.iter().for_each(|w| self.number(*w));
        self.out.push('\n');
    }

    /// Remembers what later literals depend on.
    fn note(&mut self, code: u32, operands: &[u32]) {
        match (Op::from_u32(code), operands) {
            (Some(Op::TypeInt), [id, width, signed]) => {
                self.types.insert(*id, (*width, false, *signed != 0));
            }
            (Some(Op::TypeFloat), [id, width, ..]) => {
                self.types.insert(*id, (*width, true, true));
            }
            (Some(Op::ExtInstImport), [id, name @ ..]) => {
                self.sets.insert(*id, Words(name).string());
            }
            _ => {}
        }
    }

    fn operands(&mut self, o: &OperandRow, words: &mut Words<'_>, ty: Option<u32>, set: &mut Option<u32>) {
        match o.quantifier {
            Quantifier::One | Quantifier::Optional => self.operand(o.kind, words, ty, set),
            Quantifier::Any => {
                while !words.0.is_empty() {
                    self.operand(o.kind, words, ty, set);
                }
            }
        }
    }

    fn number(&mut self, word: u32) {
        let _ = write!(self.out, " {word}");
    }

    /// One operand; nothing where the instruction has ended (optional operands, damaged modules).
    fn operand(&mut self, kind: Kind, words: &mut Words<'_>, ty: Option<u32>, set: &mut Option<u32>) {
        let Some(&first) = words.0.first() else { return };
        match kind {
            Kind::LiteralString => {
                let text = words.string().replace('\\', "\\\\").replace('"', "\\\"");
                let _ = write!(self.out, " \"{text}\"");
            }
            Kind::LiteralContextDependentNumber => self.constant(words, ty),
            Kind::LiteralExtInstInteger => {
                words.next();
                let set = set.and_then(|s| self.sets.get(&s)).and_then(|s| ExtSet::by_name(s));
                match set.and_then(|s| s.row(first)) {
                    Some(row) => {
                        let _ = write!(self.out, " {}", row.name());
                        self.inner(row, words);
                    }
                    None => self.number(first),
                }
            }
            Kind::LiteralSpecConstantOpInteger => {
                words.next();
                match Op::from_u32(first).and_then(Op::row) {
                    Some(row) => {
                        let _ = write!(self.out, " {}", row.name());
                        self.inner(row, words);
                    }
                    None => self.number(first),
                }
            }
            Kind::PairLiteralId => {
                self.literal(words);
                self.id(words);
            }
            Kind::PairIdLiteral => {
                self.id(words);
                self.literal(words);
            }
            Kind::PairIdId => {
                self.id(words);
                self.id(words);
            }
            _ => match kind.category() {
                Category::Id => {
                    *set = Some(first);
                    self.id(words);
                }
                Category::BitEnum | Category::ValueEnum => self.enumerants(kind, words, ty, set),
                Category::Literal | Category::Composite => self.literal(words),
            },
        }
    }

    /// Operands of the instruction inside an `OpSpecConstantOp` or `OpExtInst`.
    fn inner(&mut self, row: OpRow, words: &mut Words<'_>) {
        for operand in row.operands() {
            let mut set = None;
            self.operands(operand, words, None, &mut set);
        }
    }

    fn id(&mut self, words: &mut Words<'_>) {
        if let Some(id) = words.next() {
            let _ = write!(self.out, " %{id}");
        }
    }

    fn literal(&mut self, words: &mut Words<'_>) {
        if let Some(word) = words.next() {
            self.number(word);
        }
    }

    /// Names of an enumerant or of the bits of a mask, then their own operands, lowest bit first.
    fn enumerants(&mut self, kind: Kind, words: &mut Words<'_>, ty: Option<u32>, set: &mut Option<u32>) {
        let Some(value) = words.next() else { return };
        let rows: Vec<_> = spirv_spec::enumerants(kind, value).collect();
        let named = rows.iter().fold(0, |bits, r| bits | r.value());
        if rows.is_empty() || named != value {
            return self.number(value);
        }
        let names: Vec<&str> = rows.iter().map(|r| r.name()).collect();
        let _ = write!(self.out, " {}", names.join("|"));
        for row in rows {
            for parameter in row.parameters() {
                self.operand(*parameter, words, ty, set);
            }
        }
    }

    /// The literal of a constant, as its type has it.
    fn constant(&mut self, words: &mut Words<'_>, ty: Option<u32>) {
        let Some(low) = words.next() else { return };
        let (width, float, signed) =
            ty.and_then(|t| self.types.get(&t)).copied().unwrap_or((32, false, false));
        let high = if width > 32 { words.next().unwrap_or(0) } else { 0 };
        let bits = u64::from(high) << 32 | u64::from(low);
        let _ = match (float, width) {
            (true, 64) => write!(self.out, " {}", f64::from_bits(bits)),
            (true, 32) if f32::from_bits(low).is_finite() => write!(self.out, " {}", f32::from_bits(low)),
            (true, _) => write!(self.out, " {low:#x}"),
            (false, 64) if signed => write!(self.out, " {}", bits as i64),
            (false, _) if signed => write!(self.out, " {}", low as i32),
            (false, _) => write!(self.out, " {bits}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[&[u32]]) -> Vec<u32> {
        let mut words = vec![spirv_spec::MAGIC_NUMBER, 0x0001_0300, 0, 100, 0];
        for i in instructions {
            words.push(((i.len() as u32) << 16) | i[0]);
            words.extend(&i[1..]);
        }
        words
    }

    #[test]
    fn operands_are_printed_by_kind() {
        let main = u32::from_le_bytes(*b"main");
        let words = module(&[
            &[Op::Capability.number(), 1],
            &[
                Op::ExtInstImport.number(),
                1,
                u32::from_le_bytes(*b"GLSL"),
                u32::from_le_bytes(*b".std"),
                u32::from_le_bytes(*b".450"),
                0,
            ],
            &[Op::EntryPoint.number(), 5, 4, main, 0, 7],
            &[Op::ExecutionMode.number(), 4, 17, 8, 8, 1],
            &[Op::TypeFloat.number(), 2, 32],
            &[Op::TypeInt.number(), 3, 32, 1],
            &[Op::Constant.number(), 2, 5, 1.5f32.to_bits()],
            &[Op::Constant.number(), 3, 6, -7i32 as u32],
            &[Op::ExtInst.number(), 2, 8, 1, 31, 5],
            &[Op::Store.number(), 7, 8, 3, 4],
            &[9999, 1, 2],
        ]);
        let text = disassemble(&words).unwrap();
        let lines: Vec<&str> = text.lines().skip(4).collect();
        assert_eq!(
            lines,
            [
                "OpCapability Shader",
                "%1 = OpExtInstImport \"GLSL.std.450\"",
                "OpEntryPoint GLCompute %4 \"main\" %7",
                "OpExecutionMode %4 LocalSize 8 8 1",
                "%2 = OpTypeFloat 32",
                "%3 = OpTypeInt 32 1",
                "%5 = OpConstant %2 1.5",
                "%6 = OpConstant %3 -7",
                "%8 = OpExtInst %2 %1 Sqrt %5",
                "OpStore %7 %8 Volatile|Aligned 4",
                "Op#9999 1 2",
            ]
        );
    }

    #[test]
    fn damaged_modules_are_errors_or_print_what_is_there() {
        assert!(disassemble(&[]).is_err());
        assert!(disassemble(&[1, 2, 3, 4, 5]).unwrap_err().contains("0x00000001"));
        let good = module(&[&[Op::Store.number(), 7, 8, 3, 4]]);
        for cut in 6..good.len() {
            assert!(disassemble(&good[..cut]).unwrap_err().contains("word 5"));
        }
        let mut zero = good.clone();
        zero[5] = 0;
        assert!(disassemble(&zero).is_err());
        // Too few operands: what is there.
        assert!(disassemble(&module(&[&[Op::Store.number(), 7]])).unwrap().ends_with("OpStore %7\n"));
    }
}
