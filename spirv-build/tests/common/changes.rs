//! Changed texts: what tests need that exchange words of programs.

/// Small numbers that are the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    /// One below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Words, numbers and signs of a text, with the white space between. Words hold letters, digits and `more`.
pub fn tokens<'a>(text: &'a str, more: &str) -> Vec<&'a str> {
    let mut out = Vec::new();
    let mut rest = text;
    let word = |c: char| c.is_alphanumeric() || more.contains(c);
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
