//! A number that tells files apart.

use std::fmt;

/// What the bytes of a file come to. It tells apart what mistakes and crashes leave; it is no defence against somebody who
/// wants two files to have one digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub u128);

/// Odd, so that multiplying by it loses nothing.
const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

impl Digest {
    /// The digest of these bytes. It is the same on every machine and with every compiler.
    pub fn of(bytes: &[u8]) -> Digest {
        // Each step is a bijection of the state, so that a change of one word always changes the result. Words of eight bytes,
        // because build scripts are not optimised.
        let mut state = FACTOR ^ bytes.len() as u128;
        let mut step = |word: u64| {
            state = (state ^ u128::from(word)).wrapping_mul(FACTOR);
            state ^= state >> 67;
        };
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            step(word.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b)));
        }
        step(words.remainder().iter().rev().fold(0, |w, b| w << 8 | u64::from(*b)));
        Digest(state.wrapping_mul(FACTOR))
    }

    /// The digest as it is written.
    pub fn from_text(text: &str) -> Option<Digest> {
        let hex = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        hex.then(|| u128::from_str_radix(text, 16).ok()).flatten().map(Digest)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_changes_change_it() {
        let bytes: Vec<u8> = (0..200u32).map(|i| (i * 7) as u8).collect();
        let whole = Digest::of(&bytes);
        for i in 0..bytes.len() {
            assert_ne!(Digest::of(&bytes[..i]), whole);
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[i] ^= 1 << bit;
                assert_ne!(Digest::of(&other), whole, "{i} {bit}");
            }
        }
        assert_ne!(Digest::of(&[]), Digest::of(&[0]));
        assert_ne!(Digest::of(&[0; 8]), Digest::of(&[0; 16]));
    }

    #[test]
    fn text_reads_back() {
        let digest = Digest::of(b"kernel");
        assert_eq!(Digest::from_text(&digest.to_string()), Some(digest));
        // The same everywhere: files of one machine are read on it by other programs.
        assert_eq!(Digest::of(b"").to_string().len(), 32);
        for bad in ["", "12", "+0000000000000000000000000000000", "g0000000000000000000000000000000"] {
            assert_eq!(Digest::from_text(bad), None, "{bad}");
        }
    }
}
