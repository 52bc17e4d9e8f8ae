//! Samples by the book: Vulkan's chapter on image operations in double precision, one texel at a time.

use spirv_runtime::{AddressMode, BorderColor, CompareFunction, Filter, SamplerOptions};

/// One level of an image, slice by slice or layer by layer.
pub struct Grid {
    /// Width, height, depth.
    pub size: [usize; 3],
    /// Row by row.
    pub texels: Vec<[f64; 4]>,
}

/// A component of a texel, or what is made of it.
pub type Texel = [f64; 4];

impl Grid {
    /// The texels that a function gives for their places.
    pub fn new(size: [usize; 3], mut texel: impl FnMut(u32) -> Texel) -> Grid {
        Grid { size, texels: (0..size.iter().product::<usize>() as u32).map(&mut texel).collect() }
    }

    /// A texel; None outside.
    pub fn get(&self, at: [i64; 3]) -> Option<Texel> {
        let [w, h, _] = self.size.map(|n| n as i64);
        let inside = at.iter().zip(self.size).all(|(i, n)| (0..n as i64).contains(i));
        inside.then(|| self.texels[((at[2] * h + at[1]) * w + at[0]) as usize])
    }

    /// A texel by numbers that are wrapped first.
    pub fn texel(&self, options: &SamplerOptions, at: [i64; 3]) -> Texel {
        let mut place = [0; 3];
        for (i, to) in place.iter_mut().enumerate() {
            *to = wrap(at[i], self.size[i] as i64, options.address[i]);
        }
        self.get(place).unwrap_or(match options.border {
            BorderColor::TransparentBlack => [0.0; 4],
            BorderColor::OpaqueBlack => [0.0, 0.0, 0.0, 1.0],
            BorderColor::OpaqueWhite => [1.0; 4],
        })
    }
}

fn wrap(i: i64, n: i64, mode: AddressMode) -> i64 {
    match mode {
        AddressMode::Repeat => i.rem_euclid(n),
        AddressMode::MirrorRepeat => {
            let m = i.rem_euclid(2 * n);
            if m < n { m } else { 2 * n - 1 - m }
        }
        AddressMode::ClampToEdge => i.clamp(0, n - 1),
        AddressMode::ClampToBorder => i,
    }
}

/// The result of a comparison.
pub fn compare(function: CompareFunction, reference: f64, texel: f64) -> f64 {
    let yes = match function {
        CompareFunction::Never => false,
        CompareFunction::Less => reference < texel,
        CompareFunction::Equal => reference == texel,
        CompareFunction::LessEqual => reference <= texel,
        CompareFunction::Greater => reference > texel,
        CompareFunction::NotEqual => reference != texel,
        CompareFunction::GreaterEqual => reference >= texel,
        CompareFunction::Always => true,
    };
    f64::from(u8::from(yes))
}

/// A sample: `sides` coordinates from 0 to 1, offset by texels; `see` makes something of each texel before it is filtered.
pub struct Sample<'a> {
    /// Levels.
    pub levels: &'a [Grid],
    /// The sampler.
    pub options: &'a SamplerOptions,
    /// Filtered coordinates.
    pub sides: usize,
    /// Added to the numbers of the texels.
    pub offset: [i64; 3],
}

impl Sample<'_> {
    /// At a place, from a level.
    pub fn at(&self, p: [f64; 3], lod: f64, see: &dyn Fn(Texel) -> Texel) -> Texel {
        let o = self.options;
        let lod = (lod + f64::from(o.lod_bias)).clamp(f64::from(o.lod_min), f64::from(o.lod_max));
        let filter = if lod <= 0.0 { o.mag_filter } else { o.min_filter };
        let top = (self.levels.len() - 1) as f64;
        if o.mip_filter == Filter::Nearest {
            let level = ((lod + 0.5).ceil() - 1.0).clamp(0.0, top);
            return self.level(level as usize, filter, p, see);
        }
        let lod = lod.clamp(0.0, top);
        let (low, part) = (lod.floor() as usize, lod.fract());
        let near = self.level(low, filter, p, see);
        let far = self.level((low + 1).min(top as usize), filter, p, see);
        [0, 1, 2, 3].map(|c| near[c] * (1.0 - part) + far[c] * part)
    }

    fn level(&self, level: usize, filter: Filter, p: [f64; 3], see: &dyn Fn(Texel) -> Texel) -> Texel {
        let grid = &self.levels[level];
        let mut base = [0i64; 3];
        let mut weight = [0.0; 3];
        for i in 0..self.sides {
            let x = p[i] * grid.size[i] as f64 - if filter == Filter::Linear { 0.5 } else { 0.0 };
            base[i] = x.floor() as i64 + self.offset[i];
            weight[i] = x - x.floor();
        }
        if filter == Filter::Nearest {
            return see(grid.texel(self.options, base));
        }
        let mut sum = [0.0; 4];
        for corner in 0..1 << self.sides {
            let side = |i: usize| corner >> i & 1;
            let at = [0, 1, 2].map(|i| base[i] + side(i));
            let share: f64 =
                (0..self.sides).map(|i| if side(i) == 1 { weight[i] } else { 1.0 - weight[i] }).product();
            let texel = see(grid.texel(self.options, at));
            (0..4).for_each(|c| sum[c] += share * texel[c]);
        }
        sum
    }
}

/// Whether a coordinate is far from where the nearest texel changes, on sides of these lengths.
pub fn is_clear(x: f64, sides: impl IntoIterator<Item = usize>) -> bool {
    sides.into_iter().all(|n| {
        let at = x * n as f64;
        // Both where the nearest texel changes and where filtering begins anew.
        (at - at.round()).abs() > 0.02 && (at - 0.5 - (at - 0.5).round()).abs() > 0.02
    })
}

/// How far samples may be from exact ones, whose texels are from 0 to 1: on the CPU by rounding, elsewhere each weight has
/// eight bits.
pub fn tolerance(device: &spirv_runtime::Device, weights: u32) -> f64 {
    match device.kind() {
        spirv_runtime::DeviceKind::Cpu => 1e-4,
        _ => f64::from(weights) / 256.0 + 1e-3,
    }
}
