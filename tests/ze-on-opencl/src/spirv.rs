//! What the driver needs to know of a module: its kernels and the classes of their parameters.

use std::collections::HashMap;

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;
const EXECUTION_MODEL_KERNEL: u32 = 6;
const STORAGE_UNIFORM_CONSTANT: u32 = 0;
const STORAGE_WORKGROUP: u32 = 4;
const STORAGE_CROSS_WORKGROUP: u32 = 5;
const STORAGE_FUNCTION: u32 = 7;
const DECORATION_CPACKED: u32 = 10;
/// Nesting of types beyond which no size is computed.
const MAX_DEPTH: u32 = 32;

/// Class of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// The address of device memory.
    Global,
    /// Memory of the work-group.
    Local,
    /// A value of so many bytes, where that is known.
    Value(Option<usize>),
    /// An image.
    Image,
    /// A sampler.
    Unsupported,
}

/// A kernel of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub parameters: Vec<Parameter>,
}

#[derive(Debug)]
enum Type {
    Scalar(usize),
    Vector(u32, u32),
    Array(u32, u32),
    Struct(Vec<u32>),
    Pointer(u32, u32),
    Image,
    Opaque,
}

#[derive(Default)]
struct Reader {
    types: HashMap<u32, Type>,
    constants: HashMap<u32, u32>,
    packed: Vec<u32>,
    function_types: HashMap<u32, Vec<u32>>,
    functions: HashMap<u32, u32>,
    kernels: Vec<(u32, String)>,
}

/// The kernels of a module; None if it is damaged.
pub fn read(module: &[u8]) -> Option<Vec<Entry>> {
    let reader = reader(module)?;
    reader.kernels.iter().map(|(function, name)| reader.entry(*function, name)).collect()
}

/// Whether a module has a type of images.
pub fn uses_images(module: &[u8]) -> bool {
    reader(module).is_some_and(|r| r.types.values().any(|t| matches!(t, Type::Image)))
}

/// The module with other values of its specialization constants: `value` gives that of a number, in so many bytes.
pub fn specialised(module: &[u8], value: impl Fn(u32, usize) -> Option<u64>) -> Vec<u8> {
    const SPEC_ID: u32 = 1;
    let mut words: Vec<u32> = module.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
    let (mut numbers, mut widths) = (HashMap::new(), HashMap::new());
    let mut at = HEADER_WORDS;
    while let Some(length) = words.get(at).map(|first| (first >> 16) as usize).filter(|n| *n > 0) {
        let Some(instruction) = words.get_mut(at..at + length) else { break };
        let number = |id: &u32| numbers.get(id).copied();
        match (instruction[0] & 0xffff, &mut instruction[1..]) {
            (71, [id, SPEC_ID, n, ..]) => {
                numbers.insert(*id, *n);
            }
            (21 | 22, [ty, width, ..]) => {
                widths.insert(*ty, *width as usize / 8);
            }
            (48 | 49, [_, id]) => {
                if let Some(chosen) = number(id).and_then(|n| value(n, 1)) {
                    instruction[0] = 3 << 16 | if chosen != 0 { 48 } else { 49 };
                }
            }
            (50, [ty, id, literal @ ..]) => {
                let bytes = widths.get(ty).copied().unwrap_or(4);
                if let Some(chosen) = number(id).and_then(|n| value(n, bytes)) {
                    literal.iter_mut().zip([chosen as u32, (chosen >> 32) as u32]).for_each(|(w, c)| *w = c);
                }
            }
            _ => {}
        }
        at += length;
    }
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn reader(module: &[u8]) -> Option<Reader> {
    let words: Vec<u32> = module.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
    if !module.len().is_multiple_of(4) || words.len() < HEADER_WORDS || words[0] != MAGIC {
        return None;
    }
    let mut reader = Reader::default();
    let mut rest = &words[HEADER_WORDS..];
    while let Some(first) = rest.first() {
        let length = (first >> 16) as usize;
        if length == 0 || length > rest.len() {
            return None;
        }
        reader.instruction(first & 0xffff, &rest[1..length])?;
        rest = &rest[length..];
    }
    Some(reader)
}

impl Reader {
    fn instruction(&mut self, opcode: u32, operands: &[u32]) -> Option<()> {
        let at = |i: usize| operands.get(i).copied();
        match opcode {
            // OpEntryPoint
            15 if at(0)? == EXECUTION_MODEL_KERNEL => self.kernels.push((at(1)?, string(operands.get(2..)?))),
            // OpTypeInt, OpTypeFloat
            21 | 22 => drop(self.types.insert(at(0)?, Type::Scalar(at(1)? as usize / 8))),
            // OpTypeVector
            23 => drop(self.types.insert(at(0)?, Type::Vector(at(1)?, at(2)?))),
            // OpTypeImage
            25 => drop(self.types.insert(at(0)?, Type::Image)),
            // OpTypeSampler, OpTypeSampledImage
            26 | 27 => drop(self.types.insert(at(0)?, Type::Opaque)),
            // OpTypeArray
            28 => drop(self.types.insert(at(0)?, Type::Array(at(1)?, at(2)?))),
            // OpTypeStruct
            30 => drop(self.types.insert(at(0)?, Type::Struct(operands.get(1..)?.to_vec()))),
            // OpTypePointer
            32 => drop(self.types.insert(at(0)?, Type::Pointer(at(1)?, at(2)?))),
            // OpTypeFunction
            33 => drop(self.function_types.insert(at(0)?, operands.get(2..)?.to_vec())),
            // OpConstant
            43 => drop(self.constants.insert(at(1)?, at(2)?)),
            // OpFunction
            54 => drop(self.functions.insert(at(1)?, at(3)?)),
            // OpDecorate
            71 if at(1)? == DECORATION_CPACKED => self.packed.push(at(0)?),
            _ => {}
        }
        Some(())
    }

    fn entry(&self, function: u32, name: &str) -> Option<Entry> {
        let types = self.function_types.get(self.functions.get(&function)?)?;
        let parameters = types.iter().map(|ty| self.parameter(*ty)).collect();
        Some(Entry { name: name.into(), parameters })
    }

    fn parameter(&self, ty: u32) -> Parameter {
        match self.types.get(&ty) {
            Some(Type::Pointer(STORAGE_CROSS_WORKGROUP | STORAGE_UNIFORM_CONSTANT, _)) => Parameter::Global,
            Some(Type::Pointer(STORAGE_WORKGROUP, _)) => Parameter::Local,
            // With the attribute ByVal, which it must have here.
            Some(Type::Pointer(STORAGE_FUNCTION, to)) => {
                Parameter::Value(self.layout(*to, 0).map(|(size, _)| size))
            }
            Some(Type::Image) => Parameter::Image,
            Some(Type::Pointer(..) | Type::Opaque) | None => Parameter::Unsupported,
            Some(_) => Parameter::Value(self.layout(ty, 0).map(|(size, _)| size)),
        }
    }

    /// Size and alignment as OpenCL has them.
    fn layout(&self, ty: u32, depth: u32) -> Option<(usize, usize)> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.types.get(&ty)? {
            Type::Scalar(bytes) => Some((*bytes, (*bytes).max(1))),
            Type::Vector(scalar, n) => {
                let (size, _) = self.layout(*scalar, depth + 1)?;
                let size = size * if *n == 3 { 4 } else { *n as usize };
                Some((size, size.max(1)))
            }
            Type::Array(element, length) => {
                let (size, align) = self.layout(*element, depth + 1)?;
                Some((size.checked_mul(*self.constants.get(length)? as usize)?, align))
            }
            Type::Struct(members) => {
                let packed = self.packed.contains(&ty);
                let (mut size, mut align) = (0usize, 1);
                for member in members {
                    let (bytes, alignment) = self.layout(*member, depth + 1)?;
                    let alignment = if packed { 1 } else { alignment };
                    size = size.checked_next_multiple_of(alignment)?.checked_add(bytes)?;
                    align = align.max(alignment);
                }
                Some((size.checked_next_multiple_of(align)?, align))
            }
            Type::Pointer(..) => Some((8, 8)),
            Type::Image | Type::Opaque => None,
        }
    }
}

fn string(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).take_while(|b| *b != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[&[u32]]) -> Vec<u8> {
        let mut words = vec![MAGIC, 0x10000, 0, 100, 0];
        for i in instructions {
            words.push((i.len() as u32) << 16 | i[0]);
            words.extend(&i[1..]);
        }
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    #[test]
    fn parameters_have_classes_and_sizes() {
        let name = u32::from_le_bytes(*b"go\0\0");
        let module = module(&[
            &[15, 6, 50, name],
            &[21, 1, 32, 0],
            &[22, 2, 64],
            &[23, 3, 1, 3],
            &[30, 4, 1, 2, 3],
            &[32, 5, STORAGE_CROSS_WORKGROUP, 1],
            &[32, 6, STORAGE_WORKGROUP, 1],
            &[32, 7, STORAGE_FUNCTION, 4],
            &[25, 8, 0],
            &[26, 10],
            &[19, 9],
            &[33, 20, 9, 5, 6, 7, 1, 3, 8, 10],
            &[54, 9, 50, 0, 20],
        ]);
        let entries = read(&module).unwrap();
        assert!(uses_images(&module));
        assert_eq!(entries[0].name, "go");
        assert_eq!(
            entries[0].parameters,
            [
                Parameter::Global,
                Parameter::Local,
                Parameter::Value(Some(32)),
                Parameter::Value(Some(4)),
                Parameter::Value(Some(16)),
                Parameter::Image,
                Parameter::Unsupported,
            ]
        );
    }

    #[test]
    fn damaged_modules_are_refused() {
        assert!(read(&[]).is_none());
        assert!(read(&[0; 20]).is_none());
        let mut cut = module(&[&[21, 1, 32, 0]]);
        cut.truncate(cut.len() - 4);
        assert!(read(&cut).is_none());
        assert!(read(&module(&[&[15, 6]])).is_none());
    }

    #[test]
    fn types_that_contain_themselves_have_no_size() {
        let name = u32::from_le_bytes(*b"k\0\0\0");
        let module = module(&[&[15, 6, 50, name], &[30, 4, 4], &[33, 20, 9, 4], &[54, 9, 50, 0, 20]]);
        assert_eq!(read(&module).unwrap()[0].parameters, [Parameter::Value(None)]);
        assert!(!uses_images(&module));
    }
}
