//! Images as Rust: texels, samples, sizes.

use crate::cpu::stmt::{Printer, line};
use crate::spmd::{Arg, ImageRef, Kind, Leaf, Sample, SampleLevel, Size, Texel};
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
    /// What a call gives for an image, by the name of its slot and a mask: for one of an array, put together of what it gives
    /// for each image that lanes choose.
    pub fn of_image(
        &self,
        image: ImageRef,
        mask: Arg,
        zero: &str,
        select: &str,
        call: impl Fn(&str, &str) -> String,
    ) -> String {
        let (slot, mask) = (image.slot, self.wave(mask));
        let Some(element) = image.element else { return call(&format!("r{slot}"), &mask) };
        let element = self.wave(element);
        format!(
            "{{ let (mut all, mut rest, at) = ({zero}, {mask}, {element}); while any(rest) {{ \
             let k = wave_first(at, rest); let here = w_band(rest, w_ieq(at, is(k))); \
             let t = {}; all = {select}(here, t, all); rest = w_bandn(rest, here); }} all }}",
            call(&format!("element_of(r{slot}, k)"), "here")
        )
    }

    pub fn image_load(
        &mut self,
        dst: &[Leaf; 4],
        image: ImageRef,
        at: &Texel,
        level: Option<Arg>,
        mask: Arg,
    ) {
        let letter = self.image_letter(self.p.leaves[dst[0]].kind);
        let (coords, deep) = (self.waves_of(&at.coords), at.deep);
        let [a, b, c, d] = dst;
        let level = level.map(|level| self.wave(level));
        let zero = format!("[{letter}s({}); 4]", if letter == 'f' { "0.0" } else { "0" });
        let value =
            self.of_image(image, mask, &zero, &format!("img_sel{letter}"), |image, mask| match &level {
                None => format!("img_ld{letter}::<{deep}>({image}, {coords}, {mask})"),
                Some(level) => format!("img_ldl{letter}::<{deep}>({image}, {coords}, {level}, {mask})"),
            });
        line!(self, "let [{a}, {b}, {c}, {d}] = {value};");
    }

    pub fn image_store(&mut self, image: ImageRef, at: &Texel, src: &[Arg; 4], kind: Kind, mask: Arg) {
        let letter = self.image_letter(kind);
        let (coords, deep) = (self.waves_of(&at.coords), at.deep);
        let src = self.waves_of(src);
        let done = self.of_image(image, mask, "()", "nothing", |image, mask| {
            format!("img_st{letter}::<{deep}>({image}, {coords}, [{src}], {mask})")
        });
        line!(self, "{done};");
    }

    pub fn sample(&mut self, s: &Sample) {
        let Sample { image, sampler, dims, arrayed, .. } = *s;
        let compares = s.reference.is_some();
        let coords = self.waves_of(&s.coords);
        let layer = self.wave(s.layer);
        let reference = self.wave(s.reference.unwrap_or(Arg::Const(Kind::Float, 0)));
        let offsets: Vec<String> = s.offsets.iter().map(|by| format!("[{}]", self.waves_of(by))).collect();
        let form = format!("{dims}, {arrayed}, {compares}");
        let bits = self.of_image(image, s.mask, "[is(0); 4]", "img_seli", |image, mask| {
            let places = format!("{image}, r{sampler}, [{coords}], {layer}");
            match s.level {
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
                    let level =
                        format!("smp_of_gradients::<{dims}>({image}, [{coords}], [{x}], [{y}], {least})");
                    let by = offsets.join("");
                    format!("smp_level::<{form}>({places}, {level}, {by}, {reference}, {mask})")
                }
                SampleLevel::Gather(component) => {
                    let (by, each) = (offsets.join(", "), offsets.len() > 1);
                    let by = if each { by } else { [by.as_str(); 4].join(", ") };
                    format!(
                        "smp_gather::<{form}, {each}, {component}>({places}, [{by}], {reference}, {mask})"
                    )
                }
            }
        });
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
