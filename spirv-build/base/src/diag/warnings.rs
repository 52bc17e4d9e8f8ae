//! Which warnings are wanted, and which of them are errors: `-Wname`, `-Wno-name`, `-Werror=name` and their like.
//!
//! Each code that warns has a name in the table of codes, the one that dxc gives the same warning. Options name it, or a group
//! of several. The last option that names a warning decides on it; whether it is an error is decided apart from whether
//! it is wanted, so that `-WX -Wno-error=conversion` leaves one warning a warning.
use super::{Code, Severity, suggest};

/// Names of several warnings, or other names of one. A row each: name, the warnings.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "conversion",
        &["conversion", "constant-conversion", "float-conversion", "literal-conversion", "narrowing"],
    ),
    ("literal-range", &["constant-conversion"]),
    (
        "parentheses",
        &[
            "parentheses",
            "logical-op-parentheses",
            "bitwise-op-parentheses",
            "shift-op-parentheses",
            "dangling-else",
        ],
    ),
    ("shift-count-negative", &["shift-count-overflow"]),
    ("unused", &["unused-value", "unused-variable", "unused-function"]),
    ("unused-comparison", &["unused-value"]),
    ("ignored-attributes", &["unknown-attributes"]),
    ("attributes", &["unknown-attributes"]),
    ("pragmas", &["unknown-pragmas"]),
];

/// Names of all warnings.
const ALL: &[&str] = &["all", "everything", "extra", "most"];

/// Quiet ones that `everything` names, but none of the others.
const FINE: &[&str] = &["conditional-uninitialized", "float-conversion"];

/// Warnings of dxc that this compiler never gives: what they are about is an error here, or nothing it looks for.
const NEVER: &[&str] = &[
    "ambig-lit-shift",
    "array-bounds",
    "attribute-statement",
    "attribute-type",
    "bool-conversion",
    "const-expr-overflow",
    "deprecated",
    "deprecated-declarations",
    "division-by-zero",
    "double-promotion",
    "dxil-validation",
    "enum-conversion",
    "fatal-errors",
    "float-equal",
    "gnu-static-float-init",
    "hlsl-202x-extensions",
    "hlsl-barrier",
    "hlsl-legacy-literal",
    "hlsl-rayquery-flags",
    "ignored-qualifiers",
    "implicit-fallthrough",
    "int-conversion",
    "misplaced-attributes",
    "missing-braces",
    "missing-declarations",
    "missing-prototypes",
    "missing-variable-declarations",
    "overflow",
    "packoffset-override",
    "payload-access-call",
    "payload-access-perf",
    "payload-access-qualifier",
    "payload-access-shader",
    "payload-access-trace",
    "pedantic",
    "semantic-identifier-collision",
    "shadow",
    "sign-conversion",
    "specifier-override",
    "switch",
    "system-headers",
    "undef",
    "undefined-inline",
    "unreachable-code",
    "unsequenced",
    "unused-macros",
    "unused-parameter",
    "vk-ignored-features",
];

/// What the options say of one warning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Level {
    /// `-Wname` or `-Wno-name`.
    wanted: Option<bool>,
    /// `-Werror=name` or `-Wno-error=name`.
    error: Option<bool>,
}

/// What the options say of warnings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    /// All that are wanted are errors (`-WX`), unless an option says of one that it is not.
    pub errors: bool,
    /// None is wanted (`-no-warnings`). What an option has made an error stays one.
    pub none: bool,
    levels: Vec<(Code, Level)>,
}

impl Warnings {
    /// Takes the option `-W` with what follows the letter.
    ///
    /// # Errors
    /// The name is not known; with one that is like it.
    pub fn option(&mut self, text: &str) -> Result<(), Option<String>> {
        let (prefix, name, wanted, error) = match text {
            // `-W` alone is an old spelling of `-Wextra`.
            "" => return Ok(()),
            "error" | "no-error" => {
                self.errors = text == "error";
                return Ok(());
            }
            _ => {
                if let Some(name) = text.strip_prefix("error=") {
                    ("error=", name, Some(true), Some(true))
                } else if let Some(name) = text.strip_prefix("no-error=") {
                    ("no-error=", name, None, Some(false))
                } else if let Some(name) = text.strip_prefix("no-") {
                    ("no-", name, Some(false), None)
                } else {
                    ("", text, Some(true), None)
                }
            }
        };
        let codes = named(name);
        if codes.is_empty() && !NEVER.contains(&name) {
            let like = suggest::closest(name, names());
            return Err(like.map(|like| format!("-W{prefix}{like}")));
        }
        for code in codes {
            let level = self.level(code);
            level.wanted = wanted.or(level.wanted);
            // A warning that is switched off and on again is none that must be an error.
            level.error = error.or(if wanted == Some(false) { None } else { level.error });
        }
        Ok(())
    }

    /// Makes a warning of an error that options may make one, unless an option has said which it is.
    pub fn lower(&mut self, code: Code) {
        self.level(code).error.get_or_insert(false);
    }

    fn level(&mut self, code: Code) -> &mut Level {
        let at = self.levels.iter().position(|l| l.0 == code).unwrap_or_else(|| {
            self.levels.push((code, Level::default()));
            self.levels.len() - 1
        });
        &mut self.levels[at].1
    }

    /// How severe a warning is, or an error that options may make one; `None` if it is not wanted.
    pub(super) fn severity(&self, code: Code) -> Option<Severity> {
        let level = self.levels.iter().find(|l| l.0 == code).map_or(Level::default(), |l| l.1);
        if level.wanted == Some(false) {
            return None;
        }
        if code.is_quiet() && level.wanted.is_none() {
            return None;
        }
        match (level.error, self.none) {
            (Some(true), _) => Some(Severity::Error),
            (None, _) if code.flag().is_some() && code.severity() == Severity::Error => Some(Severity::Error),
            (_, true) => None,
            (Some(false), _) => Some(Severity::Warning),
            (None, _) if self.errors => Some(Severity::Error),
            (None, _) => Some(Severity::Warning),
        }
    }
}

/// The warnings that a name stands for.
fn named(name: &str) -> Vec<Code> {
    let group = GROUPS.iter().find(|g| g.0 == name).map(|g| g.1);
    let one = [name];
    let flags = group.unwrap_or(&one);
    let all = ALL.contains(&name);
    let fine = |c: &Code, f: &str| c.is_quiet() && FINE.contains(&f) && name != "everything";
    let fits = |c: &Code| c.flag().is_some_and(|f| flags.contains(&f) || all && !fine(c, f));
    Code::ALL.iter().copied().filter(fits).collect()
}

/// All names, those of warnings that are given first.
fn names() -> impl Iterator<Item = &'static str> {
    let own = Code::ALL.iter().filter_map(|c| c.flag());
    own.chain(GROUPS.iter().map(|g| g.0)).chain(ALL.iter().copied()).chain(NEVER.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(options: &str) -> Warnings {
        let mut w = Warnings::default();
        options.split_whitespace().for_each(|o| w.option(o).unwrap());
        w
    }

    #[test]
    fn the_last_option_decides() {
        let code = Code::ImplicitTruncation;
        for (options, severity) in [
            ("", Some(Severity::Warning)),
            ("no-conversion", None),
            ("no-conversion conversion", Some(Severity::Warning)),
            ("conversion no-conversion", None),
            ("error=conversion", Some(Severity::Error)),
            ("error=conversion no-error=conversion", Some(Severity::Warning)),
            ("error no-error=conversion", Some(Severity::Warning)),
            ("no-error=conversion error", Some(Severity::Warning)),
            ("error no-error", Some(Severity::Warning)),
            ("no-everything error=conversion", Some(Severity::Error)),
            ("error=conversion no-everything conversion", Some(Severity::Warning)),
            ("no-unused no-shadow", Some(Severity::Warning)),
        ] {
            assert_eq!(with(options).severity(code), severity, "{options}");
        }
    }

    #[test]
    fn no_warnings_leaves_those_that_were_made_errors() {
        let w = Warnings { none: true, ..with("error=sign-compare error") };
        assert_eq!(w.severity(Code::MixedSign), Some(Severity::Error));
        assert_eq!(w.severity(Code::ImplicitTruncation), None);
        assert_eq!(w.severity(Code::MissingReturn), Some(Severity::Error));
    }

    #[test]
    fn quiet_warnings_are_given_where_they_are_asked_for() {
        for (options, severity) in [
            ("", None),
            ("unused-variable", Some(Severity::Warning)),
            ("all", Some(Severity::Warning)),
            ("all no-unused", None),
            ("error", None),
            ("error=unused-variable", Some(Severity::Error)),
        ] {
            assert_eq!(with(options).severity(Code::UnusedVariable), severity, "{options}");
        }
    }

    #[test]
    fn some_errors_can_be_made_warnings() {
        for (options, severity) in [
            ("", Some(Severity::Error)),
            ("no-error", Some(Severity::Error)),
            ("no-return-type", None),
            ("no-error=return-type", Some(Severity::Warning)),
            ("no-error=return-type error=return-type", Some(Severity::Error)),
        ] {
            assert_eq!(with(options).severity(Code::MissingReturn), severity, "{options}");
        }
        // A finding may be a warning though others of its code are errors.
        assert_eq!(with("").severity(Code::BadRegister), Some(Severity::Warning));
    }

    #[test]
    fn groups_name_warnings_that_there_are() {
        let known = |f: &str| Code::ALL.iter().any(|c| c.flag() == Some(f));
        assert!(GROUPS.iter().all(|g| g.1.iter().all(|f| known(f))));
        assert!(NEVER.iter().all(|n| named(n).is_empty()));
        assert!(NEVER.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn unknown_names_are_told_with_one_like_them() {
        let mut w = Warnings::default();
        assert_eq!(w.option("no-conversoin"), Err(Some("-Wno-conversion".into())));
        assert_eq!(w.option("error=xyzzy"), Err(None));
        assert_eq!(w, Warnings::default());
    }
}
