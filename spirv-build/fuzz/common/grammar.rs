//! Mutations that know words: most of what they make still parses, so that later stages are reached.

use super::changes::tokens;
use super::{Numbers, flags, programs};

/// Programs whose words are used.
pub const SEEDS: &[&str] = &[
    include_str!("../../../tests/kernels/blur.hlsl"),
    include_str!("../../../tests/kernels/flow.hlsl"),
    include_str!("../../../tests/kernels/groups.hlsl"),
    include_str!("../../../tests/kernels/images.hlsl"),
    include_str!("../../../tests/kernels/reduce.hlsl"),
    include_str!("../../../tests/kernels/waves.hlsl"),
    include_str!("../../../tests/kernels/widths.hlsl"),
    include_str!("../../tests/spirv/bytes.hlsl"),
    include_str!("../../tests/spirv/intrinsics.hlsl"),
    include_str!("../../tests/spirv/layout.hlsl"),
    include_str!("../../tests/spirv/matrices.hlsl"),
    include_str!("../../tests/spirv/overload_names.hlsl"),
    include_str!("../../tests/hlsl/ok/other_stages.hlsl"),
    include_str!("../../tests/hlsl/ok/templates.hlsl"),
];

/// Signs and words that the seeds may lack.
const EXTRA: &[&str] = &[
    "#define M(a) a",
    "#if 1\n",
    "#endif\n",
    "#include \"x\"\n",
    "##",
    "template<typename T>",
    "operator()",
    "inout",
    "static const",
    "0xffffffff",
    "1e38f",
    "-1",
    "64",
    "[unroll]",
    "do",
    "while",
    "switch",
    "case",
    "default:",
    "::",
    "namespace",
    "struct",
    "groupshared",
    "row_major",
    "vector<double, 3>",
    "matrix<half, 2, 4>",
    "(",
    ")",
    "{",
    "}",
    ";",
];

/// A word of the seeds.
fn word(numbers: &mut Numbers) -> &'static str {
    if numbers.below(4) == 0 {
        return EXTRA[numbers.below(EXTRA.len())];
    }
    let list = tokens(SEEDS[numbers.below(SEEDS.len())], "_");
    list[numbers.below(list.len())]
}

/// Changes `data[..size]` in place, to at most `max_size` bytes, and gives the new size. `bytes` changes what is no text.
pub fn mutate(
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    bytes: fn(&mut [u8], usize, usize) -> usize,
) -> usize {
    let mut numbers = Numbers(u64::from(seed));
    let Ok(text) = std::str::from_utf8(&data[..size]) else { return bytes(data, size, max_size) };
    let new = match numbers.below(16) {
        // Now and then bytes, which are no words.
        0 => return bytes(data, size, max_size),
        1 => programs::program(&mut numbers),
        2 | 3 => flags::change(text, &mut numbers),
        4 => {
            // Declarations before everything but the command line.
            let head = text.strip_prefix(flags::HEAD).and_then(|t| t.find('\n'));
            let (line, rest) = text.split_at(head.map_or(0, |at| at + flags::HEAD.len() + 1));
            format!("{line}{}{rest}", programs::declarations(&mut numbers))
        }
        _ => changed_words(text, &mut numbers),
    };
    let mut end = new.len().min(max_size).min(data.len());
    while !new.is_char_boundary(end) {
        end -= 1;
    }
    data[..end].copy_from_slice(&new.as_bytes()[..end]);
    end
}

/// A text with other words in some places.
fn changed_words(text: &str, numbers: &mut Numbers) -> String {
    let text = if text.trim().is_empty() { SEEDS[numbers.below(SEEDS.len())] } else { text };
    let mut list = tokens(text, "_");
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(list.len());
        let like = |t: &str| t.chars().next().is_some_and(char::is_alphanumeric);
        match numbers.below(8) {
            0 => list.insert(at, word(numbers)),
            1 => {
                list.remove(at);
            }
            2 => {
                // A part of the program once more, elsewhere.
                let end = (at + numbers.below(40)).min(list.len());
                let part: Vec<&str> = list[at..end].to_vec();
                let to = numbers.below(list.len());
                list.splice(to..to, part);
            }
            3 => {
                // A part of another program.
                let other = tokens(SEEDS[numbers.below(SEEDS.len())], "_");
                let from = numbers.below(other.len());
                let end = (from + numbers.below(60)).min(other.len());
                list.splice(at..at, other[from..end].iter().copied());
            }
            // Mostly a word for a word.
            _ => {
                let new = word(numbers);
                if like(list[at]) == like(new) && !list[at].trim().is_empty() {
                    list[at] = new;
                }
            }
        }
        if list.is_empty() {
            list.push("\n");
        }
    }
    list.concat()
}
