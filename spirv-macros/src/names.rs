//! From the kernel's names to Rust's, and guesses at what was meant.

use proc_macro2::{Ident, Span};

/// Rust identifiers of struct fields: `gSrcImage` becomes `g_src_image`.
pub fn snake(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            continue;
        }
        let before = i.checked_sub(1).map(|p| chars[p]);
        let after = chars.get(i + 1);
        // A word begins at a capital after a small letter or digit, and at the last capital of a run before a
        // small letter.
        let begins = c.is_ascii_uppercase()
            && before.is_some_and(|b| {
                b.is_ascii_lowercase()
                    || b.is_ascii_digit()
                    || (b.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase))
            });
        if begins && !out.ends_with('_') {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    valid(out, "unnamed")
}

/// Rust identifiers of types: `blur_params` becomes `BlurParams`, `$Globals` becomes `Globals`.
pub fn camel(name: &str) -> String {
    let mut out = String::new();
    for word in name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()) {
        let mut chars = word.chars();
        out.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        out.extend(chars);
    }
    valid(out, "Unnamed")
}

fn valid(name: String, otherwise: &str) -> String {
    let name = name.trim_end_matches('_').to_string();
    if name.is_empty() {
        otherwise.into()
    } else if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")
    } else {
        name
    }
}

/// The identifier, raw if the name is a keyword. What no identifier can have becomes `_`.
pub fn ident(name: &str, span: Span) -> Ident {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut name: String = name.chars().map(|c| if word(c) { c } else { '_' }).collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if matches!(name.as_str(), "self" | "Self" | "super" | "crate" | "_") {
        name.push('_');
    }
    // Parsing knows the keywords.
    match syn::parse_str::<Ident>(&name) {
        Ok(_) => Ident::new(&name, span),
        Err(_) => Ident::new_raw(&name, span),
    }
}

/// `name`, with `_` appended until it is none of `taken`.
pub fn unique(mut name: String, taken: &[String]) -> String {
    while taken.contains(&name) {
        name.push('_');
    }
    name
}

/// The candidate that `name` is most likely a misspelling of.
pub fn closest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let limit = match name.len() {
        0..=2 => 0,
        3 => 1,
        4..=8 => 2,
        _ => 3,
    };
    candidates
        .iter()
        .map(|c| (distance(&name.to_lowercase(), &c.to_lowercase()), *c))
        .filter(|(d, _)| *d <= limit)
        .min()
        .map(|(_, c)| c)
}

/// Number of characters to insert, delete or replace to get from one name to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replace = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// `` `a`, `b` and `c` ``.
pub fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    match quoted.split_last() {
        None => "nothing".into(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_snake_case() {
        for (name, want) in [
            ("src", "src"),
            ("srcImage", "src_image"),
            ("g_Input", "g_input"),
            ("RGBToYUV", "rgb_to_yuv"),
            ("SRC", "src"),
            ("$Globals", "globals"),
            ("a2B", "a2_b"),
            ("__x__y_", "x_y"),
            ("2d", "_2d"),
            ("$", "unnamed"),
        ] {
            assert_eq!(snake(name), want, "{name}");
        }
    }

    #[test]
    fn types_are_camel_case() {
        for (name, want) in [("params", "Params"), ("blur_params", "BlurParams"), ("$Globals", "Globals")] {
            assert_eq!(camel(name), want);
        }
    }

    #[test]
    fn keywords_become_raw() {
        assert_eq!(ident("type", Span::call_site()).to_string(), "r#type");
        assert_eq!(ident("self", Span::call_site()).to_string(), "self_");
        for (odd, want) in [("", "__"), ("_", "__"), ("2d", "_2d"), ("a-b", "a_b")] {
            assert_eq!(ident(odd, Span::call_site()).to_string(), want);
        }
        assert_eq!(unique("a".into(), &["a".into(), "a_".into()]), "a__");
    }

    #[test]
    fn misspellings_are_recognised() {
        assert_eq!(closest("mian", &["main", "blur"]), Some("main"));
        assert_eq!(closest("Blur", &["main", "blur"]), Some("blur"));
        assert_eq!(closest("other", &["main", "blur"]), None);
    }
}
