//! Which flags go together, and what their values may be, by dxc's rules.
use super::flags::Command;

/// Flags of which one can be given.
const EXCLUSIVE: &[(&str, &str)] = &[
    ("-Zpr", "-Zpc"),
    ("-fvk-use-dx-layout", "-fvk-use-gl-layout"),
    ("-Gfa", "-Gfp"),
    ("-pack-prefix-stable", "-pack-optimized"),
    ("-Qstrip_reflect_from_dxil", "-Qkeep_reflect_in_dxil"),
    ("-Qstrip_priv", "-Qpdb_in_private"),
    ("-Zi", "-Zs"),
    ("-fspv-debug", "-Zs"),
    ("-Qsource_in_debug_module", "-Zs"),
    ("-Zss", "-Zsb"),
    ("-Oconfig", "-Oconfig"),
    ("-Oconfig", "-O0"),
    ("-Oconfig", "-O1"),
    ("-Oconfig", "-O2"),
    ("-Oconfig", "-O3"),
];

/// Flags that mean something only beside one of others.
const NEEDS: &[(&str, &[&str])] = &[
    ("-Qembed_debug", &["-Zi", "-fspv-debug"]),
    ("-Zss", &["-Zi", "-fspv-debug", "-Zs"]),
    ("-Vn", &["-Fh"]),
];

/// Other spellings of flags.
const SPELLINGS: &[(&str, &str)] =
    &[("-pack_prefix_stable", "-pack-prefix-stable"), ("-pack_optimized", "-pack-optimized")];

/// Flags without effect whose values are words of a list.
const WORDS: &[(&str, &[&str])] = &[
    ("-encoding", &["utf8", "utf16", "utf32", "wide"]),
    ("-force-rootsig-ver", &["rootsig_1_0", "rootsig_1_1"]),
    ("-force_rootsig_ver", &["rootsig_1_0", "rootsig_1_1"]),
    ("-fvk-stage-io-order", &["alpha", "decl"]),
];

/// Flags that older shader models do not have: the first that does, as minor version.
const SINCE: &[(&str, u32)] =
    &[("-enable-16bit-types", 2), ("-denorm", 2), ("-enable-payload-qualifiers", 6)];

/// What is wrong with the value of a flag without effect, if something is.
pub(super) fn check_value(flag: &str, value: &str) -> Result<(), String> {
    if let Some((_, words)) = WORDS.iter().find(|w| w.0 == flag)
        && !words.iter().any(|w| w.eq_ignore_ascii_case(value))
    {
        return Err(format!("`{flag} {value}`: there are {}", words.join(", ")));
    }
    if flag == "-validator-version" {
        let numbers = value.split_once('.').map(|(a, b)| (a.parse::<u32>(), b.parse::<u32>()));
        match numbers {
            Some((Ok(0), Ok(minor))) if minor > 0 => {
                return Err("`-validator-version`: behind 0 there is only 0.0".into());
            }
            Some((Ok(_), Ok(_))) => {}
            _ => return Err("`-validator-version` needs two numbers, as in 1.4".into()),
        }
    }
    Ok(())
}

/// What is wrong with flags beside each other. `seen` are all, in order, and `profile` says whether there is a profile.
pub(super) fn check_together(seen: &[&str], c: &Command) -> Result<(), String> {
    let plain = |name: &str| SPELLINGS.iter().find(|s| s.0 == name).map_or(name.to_string(), |s| s.1.into());
    let seen: Vec<String> = seen.iter().map(|s| plain(s)).collect();
    let count = |name: &str| seen.iter().filter(|s| *s == name).count();
    for &(a, b) in EXCLUSIVE {
        if a == b && count(a) > 1 {
            return Err(format!("`{a}` is given more than once"));
        }
        if a != b && count(a) > 0 && count(b) > 0 {
            return Err(format!("`{a}` and `{b}` exclude each other"));
        }
    }
    for &(flag, others) in NEEDS {
        if count(flag) > 0 && others.iter().all(|o| count(o) == 0) {
            let list: Vec<String> = others.iter().map(|o| format!("`{o}`")).collect();
            return Err(format!("`{flag}` needs {}", list.join(" or ")));
        }
    }
    // Without `-T` nobody asked for an old shader model.
    let minor = if count("-T") > 0 { c.hlsl.shader_model().map(|m| m.1) } else { None };
    for &(flag, least) in SINCE {
        if count(flag) > 0 && minor.is_some_and(|m| m < least) {
            let profile = &c.hlsl.profile;
            return Err(format!("`{flag}` needs shader model 6.{least} or later, not `-T {profile}`"));
        }
    }
    if count("-enable-16bit-types") > 0 && c.hlsl.hlsl_version < 2018 {
        return Err(format!("`-enable-16bit-types` needs `-HV 2018` or later, not {}", c.hlsl.hlsl_version));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::flags::parse;

    fn run(text: &str) -> Result<(), String> {
        parse(text.split(' ').map(String::from)).map(|_| ())
    }

    #[test]
    fn flags_that_do_not_go_together_are_refused() {
        for (args, part) in [
            ("-Gfa -Gfp a.hlsl", "exclude each other"),
            ("-pack_optimized -pack-prefix-stable a.hlsl", "exclude each other"),
            ("-Qstrip_reflect_from_dxil -Qkeep_reflect_in_dxil a.hlsl", "exclude each other"),
            ("-Zi -Zs a.hlsl", "exclude each other"),
            ("-fspv-debug=line -Zs a.hlsl", "exclude each other"),
            ("-Zi -Zss -Zsb a.hlsl", "exclude each other"),
            ("-Zss a.hlsl", "needs `-Zi`"),
            ("-Qembed_debug a.hlsl", "needs `-Zi`"),
            ("-Vn name a.hlsl", "needs `-Fh`"),
            ("-Oconfig=-O -Oconfig=-Os a.hlsl", "more than once"),
            ("-O3 -Oconfig=-O a.hlsl", "exclude each other"),
            ("-T cs_6_0 -enable-16bit-types a.hlsl", "shader model 6.2"),
            ("-T cs_6_2 -HV 2017 -enable-16bit-types a.hlsl", "-HV 2018"),
            ("-T cs_6_1 -denorm ftz a.hlsl", "shader model 6.2"),
            ("-T lib_6_5 -enable-payload-qualifiers a.hlsl", "shader model 6.6"),
            ("-encoding latin1 a.hlsl", "there are utf8"),
            ("-fvk-stage-io-order=random a.hlsl", "alpha, decl"),
            ("-validator-version one a.hlsl", "two numbers"),
            ("-validator-version 0.1 a.hlsl", "only 0.0"),
            ("-auto-binding-space x a.hlsl", "needs a number"),
            ("-fspv-max-id 1000x a.hlsl", "hexadecimal"),
            ("-Fd x.pdb a.hlsl", "`-Fd` is not supported"),
            ("-Fdx.pdb a.hlsl", "`-Fd` is not supported"),
            ("-Fre x.refl a.hlsl", "`-Fre` is not supported"),
            ("-Gec a.hlsl", "`-Gec` is not supported"),
            ("-Qstrip_reflect a.hlsl", "`-Qstrip_reflect` is not supported"),
        ] {
            let message = run(args).unwrap_err();
            assert!(message.contains(part) && !message.contains('\n'), "{args}: {message}");
        }
    }

    #[test]
    fn flags_that_go_together_are_accepted() {
        for args in [
            "-Zi -Zss -Qembed_debug -Qstrip_debug a.hlsl",
            "-Zs -Zss a.hlsl",
            "-fspv-debug=vulkan -Qembed_debug a.hlsl",
            "-Fh a.h -Vn name a.hlsl",
            "-Oconfig=--loop-unroll,--ssa-rewrite a.hlsl",
            "-T cs_6_2 -enable-16bit-types -denorm preserve a.hlsl",
            "-enable-16bit-types a.hlsl",
            "-validator-version 1.7 -encoding UTF8 -fvk-stage-io-order=alpha a.hlsl",
            "-fspv-max-id 3FFFFF -auto-binding-space 13 a.hlsl",
        ] {
            assert_eq!(run(args), Ok(()), "{args}");
        }
    }
}
