//! The bits of floats of each width.

/// The bits of the float of 16, 32 or 64 bits that is nearest to a number.
pub fn float_bits(width: u8, x: f64) -> u64 {
    match width {
        16 => u64::from(half_bits(x)),
        64 => x.to_bits(),
        _ => u64::from((x as f32).to_bits()),
    }
}

/// Bits of the binary16 nearest to a number, ties to even.
fn half_bits(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let a = x.abs();
    if a.is_nan() {
        return 0x7e00;
    }
    if a >= 65520.0 {
        return sign | 0x7c00;
    }
    // The distance between neighbours: 2^-24 below the smallest normal number, else 2^(exponent-10).
    let exponent = if a < 2f64.powi(-14) { -14 } else { a.log2().floor() as i32 };
    let exponent = if exponent > -14 && 2f64.powi(exponent) > a { exponent - 1 } else { exponent };
    let steps = a / 2f64.powi(exponent - 10);
    let mut n = steps.floor();
    let rest = steps - n;
    if rest > 0.5 || (rest == 0.5 && n % 2.0 == 1.0) {
        n += 1.0;
    }
    // Numbers of a binade follow those of the one below, so a carry ends in the right place.
    let base = ((exponent + 14) as u16) << 10;
    sign | (base + n as u16)
}

#[cfg(test)]
mod tests {
    use super::half_bits;

    #[test]
    fn halves_are_rounded_to_nearest_even() {
        let cases = [
            (0.0, 0),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (f64::INFINITY, 0x7c00),
            (2f64.powi(-24), 1),
            (2f64.powi(-25), 0),
            (2f64.powi(-14), 0x0400),
            (1.0 + 2f64.powi(-11), 0x3c00),
            (1.0 + 3.0 * 2f64.powi(-11), 0x3c02),
            (0.1, 0x2e66),
            (2047.75, 0x67ff + 1),
        ];
        for (x, bits) in cases {
            assert_eq!(half_bits(x), bits, "{x}");
        }
    }
}
