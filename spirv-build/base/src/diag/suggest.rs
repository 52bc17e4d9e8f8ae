//! "Did you mean": the known name that is most like a mistyped one.

/// Names longer than this are not compared; nobody mistypes them by a letter or two and notices.
const MAX_LEN: usize = 64;

/// More than the length of any candidate for such a name.
const WIDTH: usize = 2 * MAX_LEN;

/// The candidate closest to `name`, if it is close enough to be worth showing. Among equals the first wins.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_LEN || name.is_empty() {
        return None;
    }
    let limit = match name.len() {
        1..=2 => 1,
        3..=5 => 2,
        n => n / 3 + 1,
    };
    // A name in which nothing is left as it was is not a suggestion.
    let mut most = limit.min(name.len().max(2) - 1);
    let mut best = None;
    for candidate in candidates {
        if candidate == name || candidate.is_empty() || candidate.len().abs_diff(name.len()) > limit {
            continue;
        }
        // One for a difference in case keeps `saturate` ahead of `Saturates`.
        let d = match candidate.eq_ignore_ascii_case(name) {
            true => Some(0),
            false => distance(name.as_bytes(), candidate.as_bytes(), most).map(|d| d + 1),
        };
        if let Some(d) = d {
            best = Some(candidate);
            match d.checked_sub(1) {
                Some(less) => most = less,
                None => break,
            }
        }
    }
    best
}

/// Whether a name is written as those of macros are: one that is not known may be one that was not defined.
pub fn is_like_macro(name: &str) -> bool {
    let letters = name.bytes().filter(u8::is_ascii_uppercase).count();
    letters > 1 && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// What to do if such a name is one.
pub fn define_macro(name: &str) -> String {
    format!(
        "if it is a macro, it is not defined here: `-D {name}=…` does that, or `define` in a build script"
    )
}

/// Whether one word is the other with one edit, up to case.
pub fn is_one_edit(a: &str, b: &str) -> bool {
    a != b && a.len().abs_diff(b.len()) <= 1 && distance(a.as_bytes(), b.as_bytes(), 2).is_some()
}

/// Edits (insert, delete, replace, swap neighbours) from one word to the other but for case, if there are fewer than `limit`.
fn distance(a: &[u8], b: &[u8], limit: usize) -> Option<usize> {
    if a.len() > MAX_LEN || b.len() >= WIDTH {
        return None;
    }
    // Each row is made from the two before it.
    let mut rows = [[0u8; WIDTH]; 3];
    for (j, d) in rows[0].iter_mut().enumerate() {
        *d = j as u8;
    }
    let (mut before, mut last, mut row) = (2, 0, 1);
    let mut least = 0;
    for i in 1..=a.len() {
        let [x, y] = [a[i - 1], if i > 1 { a[i - 2] } else { 0 }].map(|c| c.to_ascii_lowercase());
        rows[row][0] = i as u8;
        let mut lowest = i as u8;
        for j in 1..=b.len() {
            let z = b[j - 1].to_ascii_lowercase();
            let edit = rows[last][j].min(rows[row][j - 1]) + 1;
            let mut d = edit.min(rows[last][j - 1] + u8::from(x != z));
            if i > 1 && j > 1 && x == b[j - 2].to_ascii_lowercase() && y == z {
                d = d.min(rows[before][j - 2] + 1);
            }
            rows[row][j] = d;
            lowest = lowest.min(d);
        }
        // It never becomes less than in two rows that follow each other.
        if usize::from(lowest.min(least)) >= limit {
            return None;
        }
        least = lowest;
        (before, last, row) = (last, row, before);
    }
    Some(usize::from(rows[last][b.len()])).filter(|d| *d < limit)
}

#[cfg(test)]
mod tests {
    use super::{closest, is_one_edit};

    #[test]
    fn one_edit_is_one_letter_or_two_that_changed_places() {
        for (a, b) in [("retrun", "return"), ("brek", "break"), ("breaks", "break"), ("Return", "return")] {
            assert!(is_one_edit(a, b), "{a}");
        }
        assert!(!is_one_edit("return", "return") && !is_one_edit("retnur", "return"));
    }

    #[test]
    fn typing_mistakes_find_their_word() {
        let words = ["saturate", "clamp", "lerp", "radius", "width"];
        assert_eq!(closest("satruate", words), Some("saturate"));
        assert_eq!(closest("Clamp", words), Some("clamp"));
        assert_eq!(closest("raduis", words), Some("radius"));
        assert_eq!(closest("lamp", words), Some("clamp"));
        assert_eq!(closest("saturrate", words), Some("saturate"));
        assert_eq!(closest("RADIUS", ["radios", "radius"]), Some("radius"));
        assert_eq!(closest("widht", ["widths", "width"]), Some("width"));
        assert_eq!(closest(&"w".repeat(64), [&*"w".repeat(80), &*"w".repeat(63)]), Some(&*"w".repeat(63)));
        assert_eq!(closest("xyz", words), None);
        assert_eq!(closest("q", words), None);
    }
}
