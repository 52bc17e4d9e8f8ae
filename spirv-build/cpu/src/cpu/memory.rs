//! Memory: addresses, loads and stores as Rust.

use crate::cpu::stmt::{Printer, line};
use crate::ir::entity::Entity;
use crate::spmd::{Address, Arg, Atomic, Kind, Leaf, Memory, Shape};
use std::fmt::Write;

impl Printer<'_> {
    /// Base address, count of elements of that many bytes, index and stride of an address.
    fn place(&mut self, a: &Address, bytes: u32) -> (String, String, Arg, u32) {
        let (index, stride) = a.index.unwrap_or((Arg::Const(Kind::Int, 0), 4));
        match a.memory {
            Memory::Resource(slot) | Memory::Local(slot) => {
                let name = format!("n{slot}_{}_{stride}_{bytes}", a.konst);
                if self.counted.insert((slot, a.konst, stride, bytes)) {
                    let _ = writeln!(
                        self.counts,
                        "let {name} = elements(r{slot}.bytes, {}, {bytes}, {stride});",
                        a.konst
                    );
                }
                let start = match a.memory {
                    Memory::Local(_) => format!("l{slot}"),
                    _ => format!("r{slot}.data"),
                };
                (format!("{start}.wrapping_add({})", a.konst), name, index, stride)
            }
            // Reached by other operations: there is no element to count.
            Memory::Physical => ("scratch".into(), "0".into(), index, stride),
            Memory::Shared { offset, size } => {
                let n = elements(u64::from(size), a.konst, bytes, stride);
                (
                    format!("scratch.wrapping_add({}usize + {}usize)", offset, a.konst),
                    n.to_string(),
                    index,
                    stride,
                )
            }
            Memory::Table(t) => {
                // Tables count words.
                let len = self.p.tables[t].len() as u64 * 4;
                let (konst, stride) = (a.konst.saturating_mul(4), stride_of_words(a));
                let n = elements(len, konst, bytes, stride);
                let base =
                    format!("(TABLE_{}_{}.as_ptr() as *mut u8).wrapping_add({konst})", self.index, t.index());
                (base, n.to_string(), index, stride)
            }
            Memory::Private(p) => {
                // Rows of lanes, one a word: element `word * lanes + lane`.
                let row = self.scratch.lanes * 4;
                let words = self.p.privates[p].words;
                let at = self.scratch.privates[p.index()] + a.konst.saturating_mul(row);
                let n = words.saturating_sub(a.konst);
                let base = format!("scratch.wrapping_add({at} + w * {})", row * words);
                (base, n.to_string(), index, stride)
            }
        }
    }

    pub fn load(&mut self, dst: Leaf, address: &Address, bytes: u32, mask: Arg) {
        match address.memory {
            Memory::Private(_) => return self.private_load(dst, address, mask),
            Memory::Physical => return self.physical_load(dst, address, bytes, mask),
            _ => {}
        }
        let (base, n, index, stride) = self.place(address, bytes);
        let letter = self.p.leaves[dst].kind.letter();
        if bytes < 4 {
            // Words that are filled up with zeros.
            if self.uniform(dst) {
                let index = self.scalar(index);
                line!(self, "let {dst} = s_ldn::<{bytes}>({base}, {n}, {stride}, {index});");
            } else {
                let near = if self.contiguous(index) && stride == bytes { "ldcn" } else { "ldn" };
                let (index, mask) = (self.wave(index), self.wave(mask));
                line!(self, "let {dst} = {near}::<{stride}, {bytes}>({base}, {n}, {index}, {mask});");
            }
        } else if self.uniform(dst) {
            line!(self, "let {dst} = s_ld{letter}({base}, {n}, {stride}, {});", self.scalar(index));
        } else if self.contiguous(index) && stride == 4 {
            line!(self, "let {dst} = ldc{letter}({base}, {n}, {}, {});", self.wave(index), self.wave(mask));
        } else {
            line!(
                self,
                "let {dst} = ld{letter}::<{stride}>({base}, {n}, {}, {});",
                self.wave(index),
                self.wave(mask)
            );
        }
    }

    /// Reads, combines and writes as one.
    pub fn atomic(&mut self, dst: Option<Leaf>, op: Atomic, address: &Address, args: &[Arg], mask: Arg) {
        let number = op as u32;
        let kind = match (dst, args.first()) {
            (Some(dst), _) => self.p.leaves[dst].kind,
            (None, Some(a)) => self.kind(*a),
            (None, None) => Kind::Int,
        };
        let (base, n, index, stride) = self.place(address, kind.words() * 4);
        let shared = matches!(address.memory, Memory::Shared { .. } | Memory::Local(_));
        let zero = if kind.is_wide() { Arg::Wide(Kind::Long, 0) } else { Arg::Const(Kind::Int, 0) };
        let value = |p: &Self, i: usize| {
            let a = args.get(i).copied().unwrap_or(zero);
            match p.kind(a) {
                Kind::Float => format!("w_fbits({})", p.wave(a)),
                Kind::Double => format!("w_dbits({})", p.wave(a)),
                _ => p.wave(a),
            }
        };
        let name = if kind.is_wide() { "atomic_wide" } else { "atomic" };
        let (a, b) = (value(self, 0), value(self, 1));
        let c = self.wave(mask);
        let call = if address.memory == Memory::Physical {
            format!("{name}_p::<{number}>(launch, REACH, {}, {a}, {b}, {c})", self.physical(address, false))
        } else {
            let x = self.wave(index);
            format!("{name}::<{number}, {shared}, {stride}>({base}, {n}, {x}, {a}, {b}, {c})")
        };
        match dst {
            Some(dst) if self.p.leaves[dst].kind == Kind::Float => {
                line!(self, "let {dst} = w_ffrom({call});")
            }
            Some(dst) if self.p.leaves[dst].kind == Kind::Double => {
                line!(self, "let {dst} = w_dfrom({call});")
            }
            Some(dst) => line!(self, "let {dst} = {call};"),
            None => line!(self, "{call};"),
        }
    }

    fn contiguous(&self, a: Arg) -> bool {
        match a {
            Arg::Leaf(l) => self.shape(l) == Shape::Contiguous,
            Arg::Builtin(b) => crate::spmd::inst_builtin_shape(b, self.p.local_size) == Shape::Contiguous,
            _ => false,
        }
    }

    pub fn store(&mut self, address: &Address, bytes: u32, src: Arg, kind: Kind, mask: Arg) {
        match address.memory {
            Memory::Private(_) => return self.private_store(address, src, kind, mask),
            Memory::Physical => return self.physical_store(address, bytes, src, kind, mask),
            _ => {}
        }
        let (base, n, index, stride) = self.place(address, bytes);
        let letter = kind.letter();
        let (x, a, c) = (self.wave(index), self.wave(src), self.wave(mask));
        if bytes < 4 {
            let near = if self.contiguous(index) && stride == bytes { "stcn" } else { "stn" };
            line!(self, "{near}::<{stride}, {bytes}>({base}, {n}, {x}, {a}, {c});");
        } else if self.contiguous(index) && stride == 4 {
            line!(self, "stc{letter}({base}, {n}, {x}, {a}, {c});");
        } else {
            line!(self, "st{letter}::<{stride}>({base}, {n}, {x}, {a}, {c});");
        }
    }

    /// A 64-bit address.
    fn physical(&self, address: &Address, uniform: bool) -> String {
        let index = address.index.map_or(Arg::Wide(Kind::Long, 0), |i| i.0);
        match (address.konst, uniform) {
            (0, true) => self.scalar(index),
            (0, false) => self.wave(index),
            (konst, true) => format!("s_liadd({}, {konst}u64)", self.scalar(index)),
            (konst, false) => format!("w_liadd({}, ls({konst}u64))", self.wave(index)),
        }
    }

    fn physical_load(&mut self, dst: Leaf, address: &Address, bytes: u32, mask: Arg) {
        let uniform = self.uniform(dst);
        let at = self.physical(address, uniform);
        let bits = if uniform {
            format!("s_ldp::<{bytes}>(launch, REACH, {at})")
        } else {
            format!("ldp::<{bytes}>(launch, REACH, {at}, {})", self.wave(mask))
        };
        match (self.p.leaves[dst].kind, uniform) {
            (Kind::Float, true) => line!(self, "let {dst} = f32::from_bits({bits});"),
            (Kind::Float, false) => line!(self, "let {dst} = w_ffrom({bits});"),
            _ => line!(self, "let {dst} = {bits};"),
        }
    }

    fn physical_store(&mut self, address: &Address, bytes: u32, src: Arg, kind: Kind, mask: Arg) {
        let at = self.physical(address, false);
        let a = if kind == Kind::Float { format!("w_fbits({})", self.wave(src)) } else { self.wave(src) };
        line!(self, "stp::<{bytes}>(launch, REACH, {at}, {a}, {});", self.wave(mask));
    }

    /// Element index of a private array's word in each lane.
    fn private_index(&self, index: Arg, stride: u32) -> String {
        let word = if stride == 1 {
            self.wave(index)
        } else {
            format!("w_imul({}, is({stride}))", self.wave(index))
        };
        format!("w_iadd(w_imul({word}, is({})), lanes_from(0))", self.scratch.lanes)
    }

    /// A word of a private array: zero beyond its end.
    fn private_load(&mut self, dst: Leaf, address: &Address, mask: Arg) {
        let (base, n, index, stride) = self.place(address, 4);
        let letter = self.p.leaves[dst].kind.letter();
        match address.index {
            None if n != "0" => line!(self, "let {dst} = row_ld{letter}({base});"),
            None => {
                let zero = self.wave(Arg::Const(self.p.leaves[dst].kind, 0));
                line!(self, "let {dst} = {zero};");
            }
            Some(_) => {
                let x = self.private_index(index, stride);
                let c = self.private_mask(index, stride, &n, mask);
                line!(self, "let {dst} = ld{letter}::<4>({base}, {n} * {}, {x}, {c});", self.scratch.lanes);
            }
        }
    }

    /// Lanes whose index is inside: the product with the number of lanes could wrap around.
    fn private_mask(&self, index: Arg, stride: u32, n: &str, mask: Arg) -> String {
        let limit = n.parse::<u32>().unwrap_or(0).div_ceil(stride.max(1));
        format!("w_band({}, w_ult({}, is({limit})))", self.wave(mask), self.wave(index))
    }

    fn private_store(&mut self, address: &Address, src: Arg, kind: Kind, mask: Arg) {
        let (base, n, index, stride) = self.place(address, 4);
        let letter = kind.letter();
        let a = self.wave(src);
        let c = self.wave(mask);
        match address.index {
            None if n != "0" => {
                line!(self, "stc{letter}({base}, {}, lanes_from(0), {a}, {c});", self.scratch.lanes);
            }
            None => {}
            Some(_) => {
                let x = self.private_index(index, stride);
                let c = self.private_mask(index, stride, &n, mask);
                line!(self, "st{letter}::<4>({base}, {n} * {}, {x}, {a}, {c});", self.scratch.lanes);
            }
        }
    }
}

fn stride_of_words(a: &Address) -> u32 {
    a.index.map_or(4, |(_, s)| s.saturating_mul(4))
}

/// The prelude's `elements`, at build time.
fn elements(bytes: u64, konst: u32, size: u32, stride: u32) -> u32 {
    match bytes.checked_sub(u64::from(konst) + u64::from(size)) {
        None => 0,
        Some(rest) => match rest.checked_div(u64::from(stride)) {
            None => u32::MAX,
            Some(n) => u32::try_from(n + 1).unwrap_or(u32::MAX),
        },
    }
}
