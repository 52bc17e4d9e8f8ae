//! Mutations that know words: most of what they make still parses, so that later stages are reached.

use libfuzzer_sys::fuzzer_mutate;

/// Programs whose words are used.
const SEEDS: &[&str] = &[
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
    include_str!("../../tests/hlsl/ok/templates.hlsl"),
];

/// Signs and words that the seeds may lack.
const EXTRA: &[&str] = &[
    "#define M(a) a", "#if 1\n", "#endif\n", "#include \"x\"\n", "##", "template<typename T>", "operator()", "inout",
    "static const", "0xffffffff", "1e38f", "-1", "64", "[unroll]", "do", "while", "switch", "case", "default:", "::",
    "namespace", "struct", "groupshared", "row_major", "vector<double, 3>", "matrix<half, 2, 4>", "(", ")", "{", "}", ";",
];

/// Small numbers from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Words, numbers, signs and white space of a text.
fn tokens(text: &str) -> Vec<&str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            c if word(c) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            c if c.is_whitespace() => rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        out.push(&rest[..end]);
        rest = &rest[end..];
    }
    out
}

/// A word of the seeds.
fn word(numbers: &mut Numbers) -> &'static str {
    if numbers.below(4) == 0 {
        return EXTRA[numbers.below(EXTRA.len())];
    }
    let list = tokens(SEEDS[numbers.below(SEEDS.len())]);
    list[numbers.below(list.len())]
}

/// Changes `data[..size]` in place, to at most `max_size` bytes, and gives the new size.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut numbers = Numbers(u64::from(seed));
    let Ok(text) = std::str::from_utf8(&data[..size]) else { return fuzzer_mutate(data, size, max_size) };
    // Now and then bytes, which are no words.
    if numbers.below(16) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let text = if text.trim().is_empty() { SEEDS[numbers.below(SEEDS.len())] } else { text };
    let mut list = tokens(text);
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(list.len());
        let like = |t: &str| t.chars().next().is_some_and(char::is_alphanumeric);
        match numbers.below(8) {
            0 => list.insert(at, word(&mut numbers)),
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
                let other = tokens(SEEDS[numbers.below(SEEDS.len())]);
                let from = numbers.below(other.len());
                let end = (from + numbers.below(60)).min(other.len());
                list.splice(at..at, other[from..end].iter().copied());
            }
            // Mostly a word for a word.
            _ => {
                let new = word(&mut numbers);
                if like(list[at]) == like(new) && !list[at].trim().is_empty() {
                    list[at] = new;
                }
            }
        }
        if list.is_empty() {
            list.push("\n");
        }
    }
    let new = list.concat();
    let mut end = new.len().min(max_size).min(data.len());
    while !new.is_char_boundary(end) {
        end -= 1;
    }
    data[..end].copy_from_slice(&new.as_bytes()[..end]);
    end
}
