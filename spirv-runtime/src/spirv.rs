//! What the runtime must know of a SPIR-V module before a driver sees it: that it is whole, that it is the one that the
//! interface describes, and how much memory of the work-group an entry point takes.
//!
//! Both are read from the words and not from the interface file: they hold for what the driver is given, whatever the
//! file beside it says. Drivers have ended the process on modules that were cut.

#[cfg(feature = "vulkan")]
mod scalar_layout;

use crate::error::{Result, error};
use crate::kernel::EntryDesc;
#[cfg(feature = "vulkan")]
use crate::kernel::{Binding, ResourceKind};
use std::collections::{HashMap, HashSet};

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;
const SPEC_ID: u32 = 1;
#[cfg(feature = "vulkan")]
const BINDING: u32 = 33;
#[cfg(feature = "vulkan")]
const DESCRIPTOR_SET: u32 = 34;
const LOCAL_SIZE: u32 = 17;

/// Storage classes.
mod class {
    #[cfg(feature = "vulkan")]
    pub const UNIFORM_CONSTANT: u32 = 0;
    #[cfg(feature = "vulkan")]
    pub const UNIFORM: u32 = 2;
    pub const WORKGROUP: u32 = 4;
    #[cfg(feature = "vulkan")]
    pub const STORAGE_BUFFER: u32 = 12;
}

/// The instructions that are looked at.
mod op {
    pub const ENTRY_POINT: u32 = 15;
    pub const EXECUTION_MODE: u32 = 16;
    pub const CAPABILITY: u32 = 17;
    pub const TYPE_BOOL: u32 = 20;
    pub const TYPE_INT: u32 = 21;
    pub const TYPE_FLOAT: u32 = 22;
    pub const TYPE_VECTOR: u32 = 23;
    pub const TYPE_MATRIX: u32 = 24;
    pub const TYPE_ARRAY: u32 = 28;
    pub const TYPE_STRUCT: u32 = 30;
    pub const TYPE_POINTER: u32 = 32;
    pub const CONSTANT: u32 = 43;
    pub const SPEC_CONSTANT: u32 = 50;
    pub const SPEC_CONSTANT_OP: u32 = 52;
    pub const FUNCTION: u32 = 54;
    pub const FUNCTION_END: u32 = 56;
    pub const FUNCTION_CALL: u32 = 57;
    pub const VARIABLE: u32 = 59;
    pub const DECORATE: u32 = 71;
}

/// Where instructions have operands that may be variables: opcode, first and last such word.
const POINTERS: &[(u32, usize, usize)] = &[
    (op::FUNCTION_CALL, 4, usize::MAX),
    (60, 3, 3),           // ImageTexelPointer
    (61, 3, 3),           // Load
    (62, 1, 2),           // Store
    (63, 1, 2),           // CopyMemory
    (64, 1, 2),           // CopyMemorySized
    (65, 3, 3),           // AccessChain
    (66, 3, 3),           // InBoundsAccessChain
    (67, 3, 3),           // PtrAccessChain
    (68, 3, 3),           // ArrayLength
    (70, 3, 3),           // InBoundsPtrAccessChain
    (83, 3, 3),           // CopyObject
    (117, 3, 3),          // ConvertPtrToU
    (121, 3, 3),          // PtrCastToGeneric
    (124, 3, 3),          // Bitcast
    (169, 4, 5),          // Select
    (227, 3, 3),          // AtomicLoad
    (228, 1, 1),          // AtomicStore
    (245, 3, usize::MAX), // Phi
    (318, 3, 3),          // AtomicFlagTestAndSet
    (319, 1, 1),          // AtomicFlagClear
    (401, 3, 4),          // PtrEqual
    (402, 3, 4),          // PtrNotEqual
    (403, 3, 4),          // PtrDiff
    (4457, 3, 3),         // CooperativeMatrixLoadKHR
    (4458, 1, 1),         // CooperativeMatrixStoreKHR
    (5614, 3, 3),         // AtomicFMinEXT
    (5615, 3, 3),         // AtomicFMaxEXT
    (6035, 3, 3),         // AtomicFAddEXT
];

/// The first and last of AtomicExchange ... AtomicXor, which have the pointer in one place.
const ATOMICS: std::ops::RangeInclusive<u32> = 229..=242;

/// A module that is whole, as far as can be told without the grammar of its instructions.
pub(crate) struct Module {
    pub words: Vec<u32>,
}

/// Major and minor version in one number, as a module has it: `0x00010300` is 1.3.
pub(crate) fn version_name(version: u32) -> String {
    format!("{}.{}", version >> 16, version >> 8 & 0xff)
}

impl Module {
    /// The module of these bytes.
    ///
    /// # Errors
    /// They are no module, or not all of one.
    pub fn read(bytes: &[u8]) -> Result<Module> {
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        if !bytes.len().is_multiple_of(4) || words.len() < HEADER_WORDS || words[0] != MAGIC {
            return Err(damaged("it does not begin as one"));
        }
        let module = Module { words };
        module.check_whole()?;
        Ok(module)
    }

    pub fn version(&self) -> u32 {
        self.words[1]
    }

    /// The numbers of the capabilities that it declares.
    pub fn capabilities(&self) -> impl Iterator<Item = u32> {
        self.instructions().filter(|i| i[0] & 0xffff == op::CAPABILITY).filter_map(|i| i.get(1).copied())
    }

    /// Whether it has the entry point, with work-groups of the size that the interface says.
    ///
    /// # Errors
    /// It has not: module and interface are of two builds.
    pub fn check_entry(&self, entry: &EntryDesc) -> Result<()> {
        let Some(function) = self.entry_function(entry.name) else {
            return Err(error!(
                Driver,
                "its module has no kernel of this name; run `cargo clean` and build again"
            ));
        };
        let declared = self.instructions().find_map(|i| match i {
            [first, id, LOCAL_SIZE, x, y, z] if first & 0xffff == op::EXECUTION_MODE && *id == function => {
                Some([*x, *y, *z])
            }
            _ => None,
        });
        match declared.filter(|size| *size != entry.local_size) {
            None => Ok(()),
            Some(size) => Err(error!(
                Driver,
                "its module has work-groups of {size:?}, its interface of {:?}; run `cargo clean` and build again",
                entry.local_size
            )),
        }
    }

    /// Bytes of memory of the work-group that an entry point uses, no padding counted but that of structures. Arrays whose
    /// length is a specialization constant of these numbers are left out.
    pub fn shared_memory(&self, entry: &str, sized_at_launch: &[u32]) -> u64 {
        let variables = self.workgroup_variables(sized_at_launch);
        let used = self.used(entry, |id| variables.contains_key(id));
        used.iter().filter_map(|id| variables.get(id)).fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    /// Whether every descriptor that an entry point uses is one of the interface's: drivers do not look.
    ///
    /// # Errors
    /// It is not: module and interface are of two builds.
    #[cfg(feature = "vulkan")]
    pub fn check_descriptors(&self, entry: &EntryDesc) -> Result<()> {
        let (mut places, mut classes) = (HashMap::<u32, [Option<u32>; 2]>::new(), HashMap::new());
        for instruction in self.instructions() {
            match (instruction[0] & 0xffff, &instruction[1..]) {
                (op::FUNCTION, _) => break,
                (op::DECORATE, [id, DESCRIPTOR_SET, n, ..]) => places.entry(*id).or_default()[0] = Some(*n),
                (op::DECORATE, [id, BINDING, n, ..]) => places.entry(*id).or_default()[1] = Some(*n),
                (op::VARIABLE, [_, id, class, ..]) => {
                    classes.insert(*id, *class);
                }
                _ => {}
            }
        }
        for id in self.used(entry.name, |id| places.contains_key(id) && classes.contains_key(id)) {
            let (Some([Some(set), Some(binding)]), Some(class)) = (places.get(&id), classes.get(&id)) else {
                continue;
            };
            let at = Binding::Descriptor { set: *set, binding: *binding };
            let mut there = entry.resources.iter().map(|r| &entry.kernel.resources[*r as usize]);
            if !there.any(|r| r.binding == at && has_class(r.kind, *class)) {
                return Err(error!(
                    Driver,
                    "its module uses the descriptor {binding} of set {set}, which is no such resource in its interface; \
                     run `cargo clean` and build again"
                ));
            }
        }
        Ok(())
    }

    /// The numbers of its specialization constants.
    pub(crate) fn specialization_ids(&self) -> HashSet<u32> {
        let all = self.instructions().filter_map(|instruction| {
            match (instruction[0] & 0xffff, &instruction[1..]) {
                (op::DECORATE, [_, SPEC_ID, id, ..]) => Some(*id),
                _ => None,
            }
        });
        all.collect()
    }

    /// The variables of some kind that an entry point uses, or a function that it calls.
    fn used(&self, entry: &str, is_one: impl Fn(&u32) -> bool) -> HashSet<u32> {
        let mut used = HashSet::new();
        let Some(first) = self.entry_function(entry) else { return used };
        let functions = self.functions();
        let (mut reached, mut todo) = (HashSet::from([first]), vec![first]);
        while let Some(body) = todo.pop().and_then(|id| functions.get(&id)) {
            for instruction in instructions(body) {
                used.extend(pointers(instruction).iter().copied().filter(&is_one));
                if let Some(callee) = called(instruction)
                    && reached.insert(callee)
                {
                    todo.push(callee);
                }
            }
        }
        used
    }

    /// Lengths fit, functions are closed, and what entry points and calls name is there.
    fn check_whole(&self) -> Result<()> {
        let (mut at, mut open) = (HEADER_WORDS, false);
        let (mut defined, mut named) = (HashSet::<u32>::new(), Vec::<u32>::new());
        while let Some(first) = self.words.get(at) {
            let length = (first >> 16) as usize;
            let instruction = match self.words.get(at..at + length) {
                Some(instruction) if length > 0 => instruction,
                _ => return Err(damaged("an instruction goes beyond its end")),
            };
            match (first & 0xffff, open) {
                (op::FUNCTION, false) => {
                    open = true;
                    defined.extend(instruction.get(2));
                }
                (op::FUNCTION_END, true) => open = false,
                (op::FUNCTION | op::FUNCTION_END, _) => return Err(damaged("its functions overlap")),
                (op::ENTRY_POINT, _) => named.extend(instruction.get(2)),
                (op::FUNCTION_CALL, _) => named.extend(called(instruction)),
                _ => {}
            }
            at += length;
        }
        if open {
            return Err(damaged("its last function has no end"));
        }
        if defined.is_empty() || named.iter().any(|id| !defined.contains(id)) {
            return Err(damaged("a function is missing"));
        }
        Ok(())
    }

    fn instructions(&self) -> impl Iterator<Item = &[u32]> {
        instructions(&self.words[HEADER_WORDS..])
    }

    /// The function of the entry point of this name.
    fn entry_function(&self, name: &str) -> Option<u32> {
        self.instructions().find_map(|i| match i {
            [first, _, function, text @ ..] if first & 0xffff == op::ENTRY_POINT => {
                let bytes = text.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0);
                bytes.eq(name.bytes()).then_some(*function)
            }
            _ => None,
        })
    }

    /// The words of each function.
    fn functions(&self) -> HashMap<u32, &[u32]> {
        let (mut out, mut at, mut start) = (HashMap::new(), HEADER_WORDS, None);
        for instruction in self.instructions() {
            match instruction[0] & 0xffff {
                op::FUNCTION => start = instruction.get(2).map(|id| (*id, at)),
                op::FUNCTION_END => {
                    if let Some((id, from)) = start.take() {
                        out.insert(id, &self.words[from..at]);
                    }
                }
                _ => {}
            }
            at += instruction.len();
        }
        out
    }

    /// The variables in memory of the work-group, with their bytes.
    fn workgroup_variables(&self, sized_at_launch: &[u32]) -> HashMap<u32, u64> {
        /// Bytes and alignment.
        type Size = (u64, u64);
        let round_up = |n: u64, to: u64| n.div_ceil(to.max(1)).saturating_mul(to.max(1));
        // Types are made of earlier ones.
        let mut sizes: HashMap<u32, Size> = HashMap::new();
        let (mut pointees, mut values, mut spec_ids) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut variables = HashMap::new();
        for instruction in self.instructions() {
            let of = |id: &u32| sizes.get(id).copied().unwrap_or_default();
            let size = match (instruction[0] & 0xffff, &instruction[1..]) {
                (op::FUNCTION, _) => break,
                (op::DECORATE, [target, SPEC_ID, number, ..]) => {
                    spec_ids.insert(*target, *number);
                    continue;
                }
                (op::CONSTANT | op::SPEC_CONSTANT, [_, id, value, ..]) => {
                    let later = spec_ids.get(id).is_some_and(|number| sized_at_launch.contains(number));
                    values.insert(*id, if later { 0 } else { u64::from(*value) });
                    continue;
                }
                // Lengths that are reckoned from others.
                (op::SPEC_CONSTANT_OP, [_, id, code, a, b]) => {
                    let [a, b] = [a, b].map(|id| values.get(id).copied().unwrap_or(0));
                    let value = match code {
                        128 => a.saturating_add(b),
                        130 => a.saturating_sub(b),
                        132 => a.saturating_mul(b),
                        134 | 135 => a.checked_div(b).unwrap_or(0),
                        _ => 0,
                    };
                    values.insert(*id, value);
                    continue;
                }
                (op::VARIABLE, [pointer, id, class::WORKGROUP, ..]) => {
                    let bytes = pointees.get(pointer).map_or(0, |ty| of(ty).0);
                    variables.insert(*id, bytes);
                    continue;
                }
                (op::TYPE_BOOL, [_, ..]) => (4, 4),
                (op::TYPE_INT | op::TYPE_FLOAT, [_, bits, ..]) => {
                    (u64::from(bits.div_ceil(8)), u64::from(bits.div_ceil(8)))
                }
                (op::TYPE_VECTOR | op::TYPE_MATRIX, [_, part, count, ..]) => {
                    let (bytes, align) = of(part);
                    (bytes.saturating_mul(u64::from(*count)), align)
                }
                (op::TYPE_ARRAY, [_, part, count, ..]) => {
                    let ((bytes, align), count) = (of(part), values.get(count).copied().unwrap_or(0));
                    (round_up(bytes, align).saturating_mul(count), align)
                }
                (op::TYPE_STRUCT, [_, members @ ..]) => {
                    members.iter().map(of).fold((0, 1), |(end, most), (bytes, align)| {
                        (round_up(end, align).saturating_add(bytes), most.max(align))
                    })
                }
                (op::TYPE_POINTER, [id, _, pointee]) => {
                    pointees.insert(*id, *pointee);
                    (8, 8)
                }
                _ => continue,
            };
            sizes.insert(instruction[1], size);
        }
        variables
    }
}

/// Whether the variable of such a resource has this storage class.
#[cfg(feature = "vulkan")]
fn has_class(kind: ResourceKind, class: u32) -> bool {
    match kind {
        // Older modules have buffers in the class of constants.
        ResourceKind::Buffer { .. } | ResourceKind::Bytes => {
            matches!(class, class::STORAGE_BUFFER | class::UNIFORM)
        }
        ResourceKind::Constants { .. } => class == class::UNIFORM,
        ResourceKind::Image { .. } | ResourceKind::Texels { .. } | ResourceKind::Sampler { .. } => {
            class == class::UNIFORM_CONSTANT
        }
        ResourceKind::Local { .. } => false,
    }
}

fn damaged(why: &str) -> crate::error::Error {
    error!(Driver, "its SPIR-V module is damaged ({why}); run `cargo clean` and build again")
}

/// The instructions in words that are whole ones.
fn instructions(mut words: &[u32]) -> impl Iterator<Item = &[u32]> {
    std::iter::from_fn(move || {
        let length = (words.first()? >> 16) as usize;
        let (instruction, rest) = words.split_at_checked(length).filter(|_| length > 0)?;
        words = rest;
        Some(instruction)
    })
}

/// The function that an instruction calls.
fn called(instruction: &[u32]) -> Option<u32> {
    (instruction[0] & 0xffff == op::FUNCTION_CALL).then(|| instruction.get(3).copied()).flatten()
}

/// The operands of an instruction that may be variables.
fn pointers(instruction: &[u32]) -> &[u32] {
    let code = instruction[0] & 0xffff;
    let found = if ATOMICS.contains(&code) {
        Some((3, 3))
    } else {
        POINTERS.iter().find(|p| p.0 == code).map(|p| (p.1, p.2))
    };
    let Some((first, last)) = found else { return &[] };
    instruction.get(first..=last.min(instruction.len() - 1)).unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{ClEntry, CpuEntry, KernelDesc, ResourceDesc};

    /// Words of an instruction.
    fn i(code: u32, operands: &[u32]) -> Vec<u32> {
        [&[(operands.len() as u32 + 1) << 16 | code], operands].concat()
    }

    fn entry_point(function: u32, name: &str) -> Vec<u32> {
        let mut bytes = name.as_bytes().to_vec();
        bytes.resize(name.len() / 4 * 4 + 4, 0);
        let text = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        i(op::ENTRY_POINT, &[5, function].into_iter().chain(text).collect::<Vec<_>>())
    }

    fn bytes(parts: &[Vec<u32>]) -> Vec<u8> {
        let words = [MAGIC, 0x0001_0300, 0, 100, 0].into_iter().chain(parts.iter().flatten().copied());
        words.flat_map(u32::to_le_bytes).collect()
    }

    /// Two entry points, the second of which calls a function; each has memory of its own.
    fn module() -> Vec<u8> {
        let function = |id, body: &[Vec<u32>]| {
            [i(op::FUNCTION, &[90, id, 0, 91]), body.concat(), i(op::FUNCTION_END, &[])].concat()
        };
        bytes(&[
            i(op::CAPABILITY, &[1]),
            entry_point(50, "first"),
            entry_point(51, "second"),
            i(op::EXECUTION_MODE, &[50, LOCAL_SIZE, 8, 8, 1]),
            i(op::DECORATE, &[12, SPEC_ID, 3]),
            i(op::DECORATE, &[33, DESCRIPTOR_SET, 1]),
            i(op::DECORATE, &[33, BINDING, 7]),
            i(op::TYPE_INT, &[1, 32, 0]),
            i(op::TYPE_VECTOR, &[2, 1, 3]),
            i(op::CONSTANT, &[1, 11, 1000]),
            i(op::SPEC_CONSTANT, &[1, 12, 7]),
            i(op::TYPE_ARRAY, &[3, 2, 11]),
            i(op::SPEC_CONSTANT_OP, &[1, 13, 132, 12, 11]),
            i(op::TYPE_ARRAY, &[4, 1, 13]),
            i(op::TYPE_FLOAT, &[5, 64]),
            i(op::TYPE_STRUCT, &[6, 1, 5, 1]),
            i(op::TYPE_POINTER, &[20, class::WORKGROUP, 3]),
            i(op::TYPE_POINTER, &[21, class::WORKGROUP, 4]),
            i(op::TYPE_POINTER, &[22, class::WORKGROUP, 6]),
            i(op::VARIABLE, &[20, 30, class::WORKGROUP]),
            i(op::VARIABLE, &[21, 31, class::WORKGROUP]),
            i(op::VARIABLE, &[22, 32, class::WORKGROUP]),
            i(op::VARIABLE, &[22, 33, class::STORAGE_BUFFER]),
            function(50, &[i(65, &[99, 60, 30, 11])]),
            function(51, &[i(65, &[99, 61, 31, 11]), i(op::FUNCTION_CALL, &[90, 62, 52])]),
            function(
                52,
                &[
                    i(op::FUNCTION_CALL, &[90, 63, 52]),
                    i(234, &[1, 64, 32, 11, 11, 11]),
                    i(68, &[1, 65, 33, 0]),
                ],
            ),
        ])
    }

    #[test]
    fn memory_of_the_work_group_is_counted_by_entry_point() {
        let module = Module::read(&module()).unwrap();
        assert_eq!(module.shared_memory("first", &[]), 12_000);
        assert_eq!(module.shared_memory("second", &[]), 7 * 1000 * 4 + 20);
        assert_eq!(module.shared_memory("second", &[3]), 20);
        assert_eq!(module.shared_memory("third", &[]), 0);
    }

    #[test]
    fn no_prefix_is_a_module() {
        let whole = module();
        // But those that end with a function that nothing before it calls; here there are none.
        for length in 0..whole.len() {
            let error = Module::read(&whole[..length]).err().unwrap();
            assert!(error.to_string().contains("damaged"), "{length}: {error}");
        }
        assert_eq!(Module::read(&whole).unwrap().capabilities().collect::<Vec<_>>(), [1]);
        // Instructions without a length or an operand are no reason to panic.
        for words in [vec![0u32], i(op::ENTRY_POINT, &[]), i(op::FUNCTION, &[]), i(op::FUNCTION_END, &[])] {
            assert!(Module::read(&bytes(&[words])).is_err());
        }
        let bare: Vec<_> = (0..500).map(|code| i(code, &[])).filter(|w| w[0] & 0xffff != 56).collect();
        let bare = [&bare[..], &[i(op::FUNCTION, &[1, 2, 3, 4]), i(op::FUNCTION_END, &[])]].concat();
        let _ = Module::read(&bytes(&bare)).map(|m| m.shared_memory("x", &[]));
    }

    #[test]
    fn descriptors_are_those_of_the_interface() {
        let check = |name, kind, at| {
            let binding = Binding::Descriptor { set: 1, binding: at };
            let resource = ResourceDesc { name: "r", writable: true, binding, kind };
            let (source, resources) = ("k.hlsl", Vec::leak(vec![resource]));
            let kernel = Box::leak(Box::new(KernelDesc { name: "k", source, spirv: None, resources }));
            let (local_size, cl, cl_memory) = ([1; 3], ClEntry::Absent, ClEntry::Absent);
            let entry = EntryDesc {
                kernel,
                name,
                local_size,
                arguments: &[0],
                resources: &[0],
                samples: &[],
                cl,
                cl_memory,
                wave: None,
                cpu: CpuEntry::Absent,
            };
            Module::read(&module()).unwrap().check_descriptors(&entry).map_err(|e| e.to_string())
        };
        assert_eq!(check("first", ResourceKind::Bytes, 8), Ok(()));
        assert_eq!(check("second", ResourceKind::Bytes, 7), Ok(()));
        for (kind, at) in [(ResourceKind::Bytes, 8), (ResourceKind::Sampler { compares: false }, 7)] {
            let error = check("second", kind, at).unwrap_err();
            assert!(error.contains("descriptor 7 of set 1"), "{error}");
        }
    }

    #[test]
    fn the_entry_point_is_that_of_the_interface() {
        static FILE: KernelDesc = KernelDesc { name: "k", source: "k.hlsl", spirv: None, resources: &[] };
        let check = |name, local_size| {
            let (kernel, cl, cl_memory) = (&FILE, ClEntry::Absent, ClEntry::Absent);
            let entry = EntryDesc {
                kernel,
                name,
                local_size,
                arguments: &[],
                resources: &[],
                samples: &[],
                cl,
                cl_memory,
                wave: None,
                cpu: CpuEntry::Absent,
            };
            Module::read(&module()).unwrap().check_entry(&entry).map_err(|e| e.to_string())
        };
        assert_eq!(check("first", [8, 8, 1]), Ok(()));
        assert_eq!(check("second", [2, 2, 2]), Ok(()));
        assert!(check("third", [1, 1, 1]).unwrap_err().contains("no kernel of this name"));
        let error = check("first", [8, 1, 1]).unwrap_err();
        assert!(error.contains("[8, 8, 1]") && error.contains("[8, 1, 1]"), "{error}");
    }
}
