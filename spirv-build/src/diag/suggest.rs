//! "Did you mean": the known name that is most like a mistyped one.

/// Names longer than this are not compared; nobody mistypes them by a letter or two and notices.
const MAX_LEN: usize = 64;

/// The candidate closest to `name`, if it is close enough to be worth showing. Among equals the first wins.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_LEN || name.is_empty() {
        return None;
    }
    let limit = match name.chars().count() {
        1..=2 => 1,
        3..=5 => 2,
        n => n / 3 + 1,
    };
    let lower: Vec<char> = name.to_lowercase().chars().collect();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate == name || candidate.is_empty() || candidate.len().abs_diff(name.len()) > limit {
            continue;
        }
        let other: Vec<char> = candidate.to_lowercase().chars().collect();
        // One for a difference in case keeps `saturate` ahead of `Saturates`.
        let d = if other == lower { 0 } else { 1 + distance(&lower, &other) };
        // A name in which nothing is left as it was is not a suggestion.
        if d <= limit && d < lower.len().max(2) && best.is_none_or(|(b, _)| d < b) {
            best = Some((d, candidate));
        }
    }
    best.map(|(_, c)| c)
}

/// Edits (insert, delete, replace, swap neighbours) from one word to the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut before = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; width];
        for j in 1..width {
            let same = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn typing_mistakes_find_their_word() {
        let words = ["saturate", "clamp", "lerp", "radius", "width"];
        assert_eq!(closest("satruate", words), Some("saturate"));
        assert_eq!(closest("Clamp", words), Some("clamp"));
        assert_eq!(closest("raduis", words), Some("radius"));
        assert_eq!(closest("xyz", words), None);
        assert_eq!(closest("q", words), None);
    }
}
