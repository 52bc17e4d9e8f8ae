//! Images as Rust: texels, samples, sizes.

use crate::cpu::stmt::{Printer, line};
use crate::spmd::{Arg, Kind, Leaf, Sample, SampleLevel, Size, Texel};
use std::fmt::Write;

/// What a slot says of its first level.
pub(super) fn size(slot: u32, what: Size) -> String {
    match what {
        Size::Width => format!("r{slot}.width"),
        Size::Height => format!("r{slot}.height"),
        Size::Depth => format!("r{slot}.depth"),
        Size::Cubes => format!("r{slot}.depth / 6"),
        Size::Bytes => {
            format!("if r{slot}.bytes > u32::MAX as u64 {{ u32::MAX }} else {{ r{slot}.bytes as u32 }}")
        }
        Size::Levels => format!("r{slot}.level_count"),
        Size::RowWords => format!("r{slot}.row_pitch / 4"),
        Size::SliceWords => format!("r{slot}.slice_pitch / 4"),
    }
}

impl Printer<'_> {
    pub fn image_load(&mut self, dst: &[Leaf; 4], slot: u32, at: &Texel, level: Option<Arg>, mask: Arg) {
        let letter = self.image_letter(self.p.leaves[dst[0]].kind);
        let (coords, deep, mask) = (self.waves_of(&at.coords), at.deep, self.wave(mask));
        let [a, b, c, d] = dst;
        let value = match level {
            None => format!("img_ld{letter}::<{deep}>(r{slot}, {coords}, {mask})"),
            Some(level) => {
                format!("img_ldl{letter}::<{deep}>(r{slot}, {coords}, {}, {mask})", self.wave(level))
            }
        };
        line!(self, "let [{a}, {b}, {c}, {d}] = {value};");
    }

    pub fn image_store(&mut self, slot: u32, at: &Texel, src: &[Arg; 4], kind: Kind, mask: Arg) {
        let letter = self.image_letter(kind);
        let (coords, deep, mask) = (self.waves_of(&at.coords), at.deep, self.wave(mask));
        let src = self.waves_of(src);
        line!(self, "img_st{letter}::<{deep}>(r{slot}, {coords}, [{src}], {mask});");
    }

    pub fn sample(&mut self, s: &Sample) {
        let Sample { slot, sampler, dims, arrayed, .. } = *s;
        let compares = s.reference.is_some();
        let coords = self.waves_of(&s.coords);
        let (layer, mask) = (self.wave(s.layer), self.wave(s.mask));
        let reference = self.wave(s.reference.unwrap_or(Arg::Const(Kind::Float, 0)));
        let offsets: Vec<String> = s.offsets.iter().map(|by| format!("[{}]", self.waves_of(by))).collect();
        let form = format!("{dims}, {arrayed}, {compares}");
        let places = format!("r{slot}, r{sampler}, [{coords}], {layer}");
        let bits = match s.level {
            SampleLevel::Given(level) => {
                let (level, by) = (self.wave(level), offsets.join(""));
                format!("smp_level::<{form}>({places}, {level}, {by}, {reference}, {mask})")
            }
            SampleLevel::Gradients(x, y, least) => {
                let [x, y] = [x, y].map(|d| self.waves_of(&d));
                let least = match least {
                    Some(least) => self.wave(least),
                    None => "fs(f32::NEG_INFINITY)".into(),
                };
                let level = format!("smp_of_gradients::<{dims}>(r{slot}, [{coords}], [{x}], [{y}], {least})");
                let by = offsets.join("");
                format!("smp_level::<{form}>({places}, {level}, {by}, {reference}, {mask})")
            }
            SampleLevel::Gather(component) => {
                let (by, each) = (offsets.join(", "), offsets.len() > 1);
                let by = if each { by } else { [by.as_str(); 4].join(", ") };
                format!("smp_gather::<{form}, {each}, {component}>({places}, [{by}], {reference}, {mask})")
            }
        };
        let [a, b, c, d] = s.dst;
        let convert = if self.p.leaves[a].kind == Kind::Float { "smp_floats" } else { "" };
        line!(self, "let [{a}, {b}, {c}, {d}] = {convert}({bits});");
    }

    fn image_letter(&self, kind: Kind) -> char {
        if kind == Kind::Float { 'f' } else { 'i' }
    }

    fn waves_of(&self, args: &[Arg]) -> String {
        args.iter().map(|a| self.wave(*a)).collect::<Vec<_>>().join(", ")
    }
}
