//! Texts of messages, of which nobody reads more than some lines: they quote the source, where a token may have any length.

/// Bytes of a word that are shown: its first and last ones.
const WORD: (usize, usize) = (200, 100);
/// Bytes of a whole text.
const TEXT: usize = 8_000;

/// A text without what is too long of it.
pub(super) fn clipped(text: String) -> String {
    if text.len() <= WORD.0 + WORD.1 {
        return text;
    }
    let mut out = String::new();
    for word in text.split_inclusive(char::is_whitespace) {
        if word.len() > WORD.0 + WORD.1 + 1 {
            let (head, tail) = (boundary(word, WORD.0), boundary(word, word.len() - WORD.1));
            out.extend([&word[..head], "…", &word[tail..]]);
        } else {
            out += word;
        }
        if out.len() > TEXT {
            out.truncate(boundary(&out, TEXT));
            out.push('…');
            break;
        }
    }
    out
}

/// The last place that is no further than `at` and inside no character.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_and_texts_are_clipped() {
        let short = "`a` is not declared".to_string();
        assert_eq!(clipped(short.clone()), short);
        let words = "some words ".repeat(60);
        assert_eq!(clipped(words.clone()), words);
        let long = format!("`{}` is not declared", "é".repeat(1_000_000));
        let shown = clipped(long);
        assert!(
            shown.len() < 400 && shown.starts_with("`éé") && shown.ends_with("é` is not declared"),
            "{shown}"
        );
        assert!(clipped("many words ".repeat(1_000_000)).len() < 8_010);
    }
}
