//! Interned names, and the table of those that are there from the start.

/// An interned name. Equal names of one [`Interner`] are equal symbols.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// A place of the table in which names are looked for: hash, and symbol plus one; zero where none is.
type Place = (u32, u32);

/// Names with their hashes, put together when the compiler itself is built: at most `N` names of `T` bytes together, in `P`
/// places, which is a power of two and at least twice `N`. Interners start as copies of one.
#[derive(Debug)]
pub struct Known<const N: usize, const T: usize, const P: usize> {
    text: [u8; T],
    names: [(u32, u32); N],
    table: [Place; P],
    count: usize,
    bytes: usize,
}

impl<const N: usize, const T: usize, const P: usize> Known<N, T, P> {
    /// No names yet.
    pub const fn new() -> Self {
        assert!(P.is_power_of_two() && P >= 2 * N, "a table has room");
        Self { text: [0; T], names: [(0, 0); N], table: [(0, 0); P], count: 0, bytes: 0 }
    }

    /// With these names. Those that are there already stay as they are.
    pub const fn with(mut self, words: &[&str]) -> Self {
        let mut i = 0;
        while i < words.len() {
            let word = words[i].as_bytes();
            let hash = hash_of(word);
            let (found, at) = self.find(hash, word);
            if found.is_none() {
                let start = self.bytes;
                let mut k = 0;
                while k < word.len() {
                    self.text[start + k] = word[k];
                    k += 1;
                }
                self.bytes += word.len();
                self.names[self.count] = (start as u32, self.bytes as u32);
                self.count += 1;
                self.table[at] = (hash, self.count as u32);
            }
            i += 1;
        }
        self
    }

    /// The symbol of a name in every interner that starts with these.
    ///
    /// # Panics
    /// It is none of them: for constants, where that is an error of compilation.
    pub const fn symbol(&self, name: &str) -> Symbol {
        match self.find(hash_of(name.as_bytes()), name.as_bytes()).0 {
            Some(symbol) => symbol,
            None => panic!("not one of the known names"),
        }
    }

    /// How many names there are: their symbols are the numbers below.
    pub const fn count(&self) -> usize {
        self.count
    }

    const fn find(&self, hash: u32, name: &[u8]) -> (Option<Symbol>, usize) {
        let mut at = hash as usize & (P - 1);
        while self.table[at].1 != 0 {
            let (other, symbol) = self.table[at];
            let (start, end) = self.names[symbol as usize - 1];
            if other == hash && end - start == name.len() as u32 {
                let mut k = 0;
                while k < name.len() && self.text[start as usize + k] == name[k] {
                    k += 1;
                }
                if k == name.len() {
                    return (Some(Symbol(symbol - 1)), at);
                }
            }
            at = (at + 1) & (P - 1);
        }
        (None, at)
    }
}

impl<const N: usize, const T: usize, const P: usize> Default for Known<N, T, P> {
    fn default() -> Self {
        Self::new()
    }
}

/// Distinct names that a small program has beside those that are known; room for them is made at once.
const EXPECTED_NAMES: usize = 256;
/// Bytes of such names.
const EXPECTED_TEXT: usize = 4 << 10;

/// Stores every distinct name once.
#[derive(Debug, Default)]
pub struct Interner {
    /// All names, one after the other.
    text: String,
    /// Where each lies.
    names: Vec<(u32, u32)>,
    /// Places to look in for a name, from that which its hash says on.
    table: Vec<Place>,
}

impl Interner {
    /// One that has some names already.
    pub fn starting_with<const N: usize, const T: usize, const P: usize>(known: &Known<N, T, P>) -> Self {
        let mut text = String::with_capacity(known.bytes + EXPECTED_TEXT);
        // What was put together from whole names is text.
        text.push_str(std::str::from_utf8(&known.text[..known.bytes]).unwrap_or_default());
        let mut names = Vec::with_capacity(known.count + EXPECTED_NAMES);
        names.extend_from_slice(&known.names[..known.count]);
        Self { text, names, table: known.table.to_vec() }
    }

    /// The symbol of a name.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if 2 * (self.names.len() + 1) > self.table.len() {
            self.grow();
        }
        let hash = hash_of(name.as_bytes());
        let free = match self.find(hash, name) {
            Ok(symbol) => return symbol,
            Err(free) => free,
        };
        let (start, symbol) = (self.text.len() as u32, Symbol(self.names.len() as u32));
        self.text.push_str(name);
        self.names.push((start, self.text.len() as u32));
        self.table[free] = (hash, symbol.0 + 1);
        symbol
    }

    /// The symbol of a name, or else the free place for it, if there is any.
    fn find(&self, hash: u32, name: &str) -> Result<Symbol, usize> {
        // The length is a power of two, or zero; at most half of the places are taken.
        let mask = self.table.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        while let Some(&(other, symbol)) = self.table.get(at) {
            let Some(symbol) = symbol.checked_sub(1).map(Symbol) else { break };
            if other == hash && self.name(symbol) == name {
                return Ok(symbol);
            }
            at = (at + 1) & mask;
        }
        Err(at)
    }

    fn grow(&mut self) {
        let places = (2 * self.table.len()).max(16);
        let old = std::mem::replace(&mut self.table, vec![(0, 0); places]);
        for (hash, symbol) in old.into_iter().filter(|(_, symbol)| *symbol != 0) {
            let mut at = hash as usize & (places - 1);
            while self.table[at].1 != 0 {
                at = (at + 1) & (places - 1);
            }
            self.table[at] = (hash, symbol);
        }
    }

    /// The symbol of a name that was interned before.
    pub fn lookup(&self, name: &str) -> Option<Symbol> {
        self.find(hash_of(name.as_bytes()), name).ok()
    }

    /// How many names there are: every symbol's number is below.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// The name of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.get(symbol.0 as usize).map_or("", |(a, b)| &self.text[*a as usize..*b as usize])
    }
}

/// Eight bytes at a time, each step as rustc's own hash of names has it.
const fn hash_of(name: &[u8]) -> u32 {
    let mut hash = name.len() as u64;
    let mut rest = name;
    while let Some((part, after)) = rest.split_first_chunk::<8>() {
        hash = step(hash, u64::from_le_bytes(*part));
        rest = after;
    }
    let mut last = 0;
    if let Some((part, after)) = rest.split_first_chunk::<4>() {
        last = u32::from_le_bytes(*part) as u64;
        rest = after;
    }
    while let Some((byte, after)) = rest.split_first() {
        last = last << 8 | *byte as u64;
        rest = after;
    }
    hash = step(hash, last);
    (hash ^ hash >> 32) as u32
}

const fn step(hash: u64, part: u64) -> u64 {
    (hash.rotate_left(5) ^ part).wrapping_mul(0x517c_c1b7_2722_0a95)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again_however_many_there_are() {
        let mut names = Interner::default();
        assert_eq!(names.lookup("n0"), None);
        let symbols: Vec<Symbol> = (0..5000).map(|i| names.intern(&format!("n{i}"))).collect();
        for (i, symbol) in symbols.iter().enumerate() {
            assert_eq!(names.lookup(&format!("n{i}")), Some(*symbol));
            assert_eq!(names.intern(&format!("n{i}")), *symbol);
            assert_eq!(names.name(*symbol), format!("n{i}"));
        }
        assert_eq!(names.lookup("n5000"), None);
    }

    #[test]
    fn known_names_keep_their_symbols() {
        const KNOWN: Known<4, 32, 8> = Known::new().with(&["float", "", "numthreads"]).with(&["float", "x"]);
        assert_eq!(KNOWN.count(), 4);
        let mut names = Interner::starting_with(&KNOWN);
        assert_eq!(names.intern("y"), Symbol(4));
        for (i, name) in ["float", "", "numthreads", "x", "y"].iter().enumerate() {
            assert_eq!(names.intern(name), Symbol(i as u32), "{name}");
            assert_eq!(names.name(Symbol(i as u32)), *name);
        }
        assert_eq!(KNOWN.symbol("numthreads"), Symbol(2));
        // Grown beyond its first table, it finds them still.
        (0..100).for_each(|i| _ = names.intern(&format!("n{i}")));
        assert_eq!(names.lookup("numthreads"), Some(Symbol(2)));
    }
}
