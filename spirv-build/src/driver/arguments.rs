//! Arguments before they are flags: files of arguments (`@name`), and flags that begin with a slash, as on Windows.

use std::path::Path;

/// How deeply files of arguments may name others.
const MAX_DEPTH: usize = 16;
/// Arguments that a command line may have with all its files.
const MAX_ARGUMENTS: usize = 1 << 16;

/// Puts the contents of files in place of `@name`.
///
/// # Errors
/// One line that says which file cannot be read, or that there is too much.
pub(super) fn expand(args: impl IntoIterator<Item = String>) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    for arg in args {
        expand_one(arg, 0, &mut out)?;
    }
    Ok(out)
}

fn expand_one(arg: String, depth: usize, out: &mut Vec<String>) -> Result<(), String> {
    let Some(name) = arg.strip_prefix('@').filter(|n| !n.is_empty()) else {
        if out.len() == MAX_ARGUMENTS {
            return Err(format!("more than {MAX_ARGUMENTS} arguments"));
        }
        out.push(arg);
        return Ok(());
    };
    if depth == MAX_DEPTH {
        return Err(format!("files of arguments are nested more than {MAX_DEPTH} deep: `{name}`"));
    }
    let bytes = crate::input::file(Path::new(name))
        .map_err(|e| format!("cannot read the arguments in `{name}`: {e}"))?;
    let text =
        crate::input::text(bytes).map_err(|e| format!("cannot read the arguments in `{name}`: {e}"))?;
    for word in words(&text) {
        expand_one(word, depth + 1, out)?;
    }
    Ok(())
}

/// The words of a text: what white space parts, unless it is quoted or stands behind a backslash.
fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (_, Some(q)) if c == q => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, None) if c.is_whitespace() => out.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    out.extend(word);
    out
}

/// `/T` as `-T`, if `known` knows it; a file of that name goes first. Warnings have no such spelling: `/Work` is a folder.
pub(super) fn without_slash(arg: &str, known: impl Fn(&str) -> bool) -> Option<String> {
    let name = arg.strip_prefix('/')?;
    let flag = format!("-{name}");
    let is_warning = name.starts_with('W') && name != "WX";
    (!is_warning && known(&flag) && !Path::new(arg).exists()).then_some(flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parted_as_in_a_shell() {
        let text = "-T cs_6_0\n  -D\t'A=1 2' \"-Ia \\\"b\\\"\" c\\ d '' e";
        assert_eq!(words(text), ["-T", "cs_6_0", "-D", "A=1 2", "-Ia \"b\"", "c d", "", "e"]);
        assert!(words(" \n").is_empty());
    }

    #[test]
    fn files_of_arguments_may_name_others_but_not_for_ever() {
        let dir = std::env::temp_dir().join(format!("spirvc-arguments-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let path = |name: &str| dir.join(name).to_string_lossy().into_owned();
        std::fs::write(path("a"), format!("-O3 @{}", path("b"))).unwrap();
        std::fs::write(path("b"), "-Zpr").unwrap();
        std::fs::write(path("round"), format!("@{}", path("round"))).unwrap();
        let run = |name: &str| expand(["x".to_string(), format!("@{}", path(name))]);
        assert_eq!(run("a").unwrap(), ["x", "-O3", "-Zpr"]);
        assert!(run("round").unwrap_err().contains("nested more than 16 deep"));
        assert!(run("none").unwrap_err().contains("there is no such file"));
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn a_slash_begins_a_flag_unless_it_is_a_path() {
        let known = |f: &str| f.starts_with("-T") || f.starts_with("-W") || f == "-WX";
        assert_eq!(without_slash("/T", known).as_deref(), Some("-T"));
        assert_eq!(without_slash("/WX", known).as_deref(), Some("-WX"));
        assert_eq!(without_slash("/Work/a.hlsl", known), None);
        assert_eq!(without_slash("/home/a.hlsl", known), None);
        assert_eq!(without_slash("-T", known), None);
    }
}
