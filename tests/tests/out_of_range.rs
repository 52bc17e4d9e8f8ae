//! Indices out of range: one table of memory, access and index, the same on every device.
//!
//! In every kernel element `j` holds `100 + j`; it reads element `i` and writes `1100 + i` to it.

use kernel_tests::{device, out_of_range, out_of_range_images};
use spirv_runtime::{Buffer, Device, ErrorKind, Image, R32Float};

/// The edges of an array and of the numbers, and what times 4, 12, 16 or 96 bytes is more than 2^32.
fn indices(len: u32) -> Vec<u32> {
    let products = [4u32, 8, 12, 16, 20, 24, 28, 32, 96];
    let wrapped = products.iter().map(|size| ((1u64 << 32) / u64::from(*size)) as u32);
    let near = wrapped.flat_map(|n| [n.wrapping_sub(1), n, n.wrapping_add(1)]);
    let edges = (0..=len + 1).chain([2 * len, 1 << 16, 1 << 24]);
    let large = [i32::MAX as u32 - 1, i32::MAX as u32, 1 << 31, (1 << 31) + 1, u32::MAX - 1, u32::MAX];
    edges.chain(near).chain(large).collect()
}

/// Words of the output that belong to an index.
const WORDS: usize = 16;

/// What an array of `len` elements gives and holds after the accesses with index `i`.
fn expected(i: u32, len: u32) -> Vec<u32> {
    let read = if i < len { 100 + i } else { 0 };
    let elements = (0..len).map(|j| if j == i { 1100 + i } else { 100 + j });
    std::iter::once(read).chain(elements).collect()
}

#[test]
fn own_memory() {
    let device = device();
    let queue = device.queue();
    let mut wrong = Vec::new();
    macro_rules! kernels {
        ($($name:ident: $len:literal),* $(,)?) => {$({
            let indices = indices($len);
            let kernel = out_of_range::$name::load(&device).unwrap();
            let index = device.buffer_from(&indices).unwrap();
            let mut output = device.buffer_from(&vec![0xdead_beefu32; indices.len() * WORDS]).unwrap();
            let threads = [indices.len() as u32, 1, 1];
            let args = out_of_range::$name::Args { index: &index, output: &mut output, threads };
            kernel.launch(&queue, args).unwrap();
            let all = output.read(&queue).unwrap();
            for (i, words) in indices.iter().zip(all.chunks(WORDS)) {
                let want = expected(*i, $len);
                if words[..want.len()] != want {
                    wrong.push(format!("{}[{i:#x}]: {:?}, not {want:?}", stringify!($name), &words[..want.len()]));
                }
            }
        })*};
    }
    kernels! {
        shared_words: 12, shared_signed: 12, shared_atomics: 12, shared_exchange: 12, shared_vectors: 5,
        shared_components: 3, shared_members: 6, shared_parts: 5, shared_structures: 6, shared_rows: 4,
        shared_outer: 4, shared_inner: 5, shared_both: 4,
        static_words: 12, static_vectors: 6, constants: 9,
        local_words: 12, local_signed: 12, local_vectors: 5, local_pairs: 6, local_square: 4, local_both: 3,
        local_rows: 3, local_elements: 3, local_bools: 5, components: 4,
        shared_wide: 7, local_wide: 7,
    }
    assert!(wrong.is_empty(), "on {}:\n{}", device.name(), wrong.join("\n"));
}

/// Kernels from LLVM IR, where addresses are numbers.
#[cfg(any(feature = "llvm19-1", feature = "llvm22-1"))]
#[test]
fn own_memory_from_llvm_ir() {
    use kernel_tests::out_of_range_ir;
    let device = device();
    let queue = device.queue();
    let indices = indices(12);
    let index = device.buffer_from(&indices).unwrap();
    let mut output = device.buffer::<u32>(indices.len() * WORDS).unwrap();
    let threads = [indices.len() as u32, 1, 1];
    let mut wrong = Vec::new();
    let mut check = |name: &str, all: Vec<u32>| {
        for (i, words) in indices.iter().zip(all.chunks(WORDS)) {
            let want = expected(*i, 12);
            if words[..13] != want {
                wrong.push(format!("{name}[{i:#x}]: {:?}, not {want:?}", &words[..13]));
            }
        }
    };
    let kernel = out_of_range_ir::sized::load(&device).unwrap();
    let args = out_of_range_ir::sized::Args { index: &index, output: &mut output, part: 12, threads };
    kernel.launch(&queue, args).unwrap();
    check("sized", output.read(&queue).unwrap());
    let kernel = out_of_range_ir::fixed_length::load(&device).unwrap();
    let args = out_of_range_ir::fixed_length::Args { index: &index, output: &mut output, threads };
    kernel.launch(&queue, args).unwrap();
    check("fixed_length", output.read(&queue).unwrap());
    let kernel = out_of_range_ir::private_memory::load(&device).unwrap();
    let args = out_of_range_ir::private_memory::Args { index: &index, output: &mut output, threads };
    kernel.launch(&queue, args).unwrap();
    check("private_memory", output.read(&queue).unwrap());
    assert!(wrong.is_empty(), "on {}:\n{}", device.name(), wrong.join("\n"));
}

/// Runs one launch for each index on words of `size` bytes of which `len` lie one behind the other from `start`, `stride`
/// words apart.
struct Table {
    words: Vec<u32>,
    start: usize,
    stride: usize,
    len: u32,
}

impl Table {
    /// Everything is 7 but for the elements, as what `make` makes of a number.
    fn new(total: usize, start: usize, stride: usize, len: u32, make: impl Fn(u32) -> u32) -> Table {
        let mut words = vec![7; total];
        for j in 0..len {
            words[start + j as usize * stride] = make(100 + j);
        }
        Table { words, start, stride, len }
    }

    fn after(&self, i: u32, make: impl Fn(u32) -> u32, copies: usize) -> Vec<u32> {
        let mut words = self.words.clone();
        if i < self.len {
            let at = self.start + i as usize * self.stride;
            words[at..at + copies].fill(make(1100 + i));
        }
        words
    }
}

/// Whole elements, and parts of elements by the same number as the element.
#[test]
fn elements_of_buffers() {
    let device = device();
    let queue = device.queue();
    let (whole, both) = (
        out_of_range::buffer_elements::load(&device).unwrap(),
        out_of_range::buffer_both::load(&device).unwrap(),
    );
    let element = |n: u32| out_of_range::Element {
        before: 50 + n,
        parts: [100 + n, 100 + n, 50],
        ..Default::default()
    };
    let start: Vec<_> = (0..3).map(element).collect();
    for i in indices(3) {
        let params = || out_of_range::Params { one: i, ..Default::default() };
        let mut elements = device.buffer_from(&start).unwrap();
        let mut output = device.buffer::<u32>(1).unwrap();
        let threads = [1, 1, 1];
        let args = out_of_range::buffer_elements::Args {
            output: &mut output,
            elements: &mut elements,
            params: params(),
            threads,
        };
        whole.launch(&queue, args).unwrap();
        let mut want = start.clone();
        want.iter_mut().take(i as usize + 1).skip(i as usize).for_each(|e| e.before = 1100 + i);
        assert_eq!(output.read(&queue).unwrap(), [if i < 3 { 100 + i } else { 0 }], "[{i:#x}]");
        assert_eq!(elements.read(&queue).unwrap(), want, "[{i:#x}]");
        let args = out_of_range::buffer_both::Args {
            output: &mut output,
            elements: &mut elements,
            params: params(),
            threads,
        };
        both.launch(&queue, args).unwrap();
        let read = if i < 2 { 100 + i } else { 0 };
        want.iter_mut().take(i as usize + 1).skip(i as usize).for_each(|e| e.parts[i as usize] = 1100 + i);
        // The third part of the third element is 50.
        assert_eq!(output.read(&queue).unwrap(), [if i == 2 { 50 } else { read }], "[{i:#x}][{i:#x}]");
        assert_eq!(elements.read(&queue).unwrap(), want, "[{i:#x}][{i:#x}]");
    }
}

/// Offsets in bytes, which are of the word that they lie in.
#[test]
fn byte_buffers() {
    let device = device();
    let queue = device.queue();
    let (one, four) = (
        out_of_range::buffer_bytes::load(&device).unwrap(),
        out_of_range::buffer_bytes4::load(&device).unwrap(),
    );
    let len = 6u64;
    let start: Vec<u32> = (0..len as u32).map(|j| 100 + j).collect();
    let near_the_end = (0..8).map(|n| u32::MAX - 4 * n);
    for i in indices(4 * len as u32).into_iter().chain([3, 17, 21]).chain(near_the_end) {
        let params = || out_of_range::Params { one: i, ..Default::default() };
        // Words lie one behind the other beyond 2^32, too: they do not begin again at the start.
        let place = |k: u64| usize::try_from(u64::from(i) / 4 + k).ok().filter(|p| *p < len as usize);
        let (mut bytes, mut output) = (device.buffer_from(&start).unwrap(), device.buffer::<u32>(4).unwrap());
        let threads = [1, 1, 1];
        let args = out_of_range::buffer_bytes::Args {
            output: &mut output,
            bytes: &mut bytes,
            params: params(),
            threads,
        };
        one.launch(&queue, args).unwrap();
        let mut want = start.clone();
        assert_eq!(output.read(&queue).unwrap()[0], place(0).map_or(0, |p| want[p]), "{i:#x}");
        place(0).into_iter().for_each(|p| want[p] = 1100u32.wrapping_add(i));
        assert_eq!(bytes.read(&queue).unwrap(), want, "{i:#x}");
        let args = out_of_range::buffer_bytes4::Args {
            output: &mut output,
            bytes: &mut bytes,
            params: params(),
            threads,
        };
        four.launch(&queue, args).unwrap();
        let read: Vec<u32> = (0..4).map(|k| place(k).map_or(0, |p| want[p])).collect();
        assert_eq!(output.read(&queue).unwrap(), read, "four from {i:#x}");
        for k in 0..4 {
            place(k).into_iter().for_each(|p| want[p] = 1100u32.wrapping_add(i).wrapping_add(4 * k as u32));
        }
        assert_eq!(bytes.read(&queue).unwrap(), want, "four from {i:#x}");
    }
}

#[test]
fn blocks_of_constants() {
    let device = device();
    let queue = device.queue();
    let (of_rows, of_last) = (
        out_of_range::constant_rows::load(&device).unwrap(),
        out_of_range::constant_components::load(&device).unwrap(),
    );
    let rows: Vec<[u32; 4]> = (0..6).map(|j| [100 + j, 1, 2, 200 + j]).collect();
    for i in indices(6) {
        let params =
            || out_of_range::Params { one: i, rows: rows.clone().try_into().unwrap(), last: [100, 101, 102] };
        let mut output = device.buffer::<u32>(2).unwrap();
        let args =
            out_of_range::constant_rows::Args { output: &mut output, params: params(), threads: [1, 1, 1] };
        of_rows.launch(&queue, args).unwrap();
        let want = rows.get(i as usize).map_or([0, 0], |r| [r[0], r[3]]);
        assert_eq!(output.read(&queue).unwrap(), want, "rows[{i:#x}]");
        let args = out_of_range::constant_components::Args {
            output: &mut output,
            params: params(),
            threads: [1, 1, 1],
        };
        of_last.launch(&queue, args).unwrap();
        assert_eq!(output.read(&queue).unwrap()[0], if i < 3 { 100 + i } else { 0 }, "last[{i:#x}]");
    }
}

/// Whether the device has what a kernel needs; Level Zero lacks some kinds of resources, and says so.
fn loads<T>(device: &Device, loaded: spirv_runtime::Result<T>) -> Option<T> {
    match loaded {
        Err(e) if device.id().starts_with("level-zero") => {
            assert_eq!(e.kind(), ErrorKind::Unsupported, "{e}");
            None
        }
        other => Some(other.unwrap()),
    }
}

#[test]
fn texels_and_arrays_of_textures() {
    let device = device();
    let queue = device.queue();
    let (width, height) = (5u32, 3u32);
    let all = indices(width);
    let index = device.buffer_from(&all).unwrap();
    let threads = [all.len() as u32, 1, 1];
    let mut output = device.buffer::<u32>(all.len()).unwrap();
    let read = |i: &u32| if *i < width { 100 + i } else { 0 };
    let want: Vec<u32> = all.iter().map(read).collect();

    let texels: Vec<f32> = (0..width * height).map(|n| 100.0 + (n % width) as f32).collect();
    let image: Image<R32Float> = device.image_from(width, height, &texels).unwrap();
    let mut target: Image<R32Float> = device.image(width, height).unwrap();
    let kernel = out_of_range_images::coordinates::load(&device).unwrap();
    let args = out_of_range_images::coordinates::Args {
        index: &index,
        output: &mut output,
        image: &image,
        target: &mut target,
        threads,
    };
    kernel.launch(&queue, args).unwrap();
    assert_eq!(output.read(&queue).unwrap(), want);
    let mut written = vec![0.0; (width * height) as usize];
    (0..width).for_each(|i| written[(width + i) as usize] = 1100.0 + i as f32);
    assert_eq!(target.read(&queue).unwrap(), written);

    if let Some(kernel) = loads(&device, out_of_range_images::typed::load(&device)) {
        let texels = device.buffer_from(&[100u32, 101, 102, 103, 104]).unwrap();
        let mut targets = device.buffer::<u32>(5).unwrap();
        let args = out_of_range_images::typed::Args {
            index: &index,
            output: &mut output,
            texels: &texels,
            targets: &mut targets,
            threads,
        };
        kernel.launch(&queue, args).unwrap();
        assert_eq!(output.read(&queue).unwrap(), want);
        assert_eq!(targets.read(&queue).unwrap(), [1100, 1101, 1102, 1103, 1104]);
    }

    if let Some(kernel) = loads(&device, out_of_range_images::resources::load(&device)) {
        let images: Vec<Image<R32Float>> =
            [100.0, 101.0, 102.0].iter().map(|v| device.image_from(1, 1, &[*v]).unwrap()).collect();
        let several = [&*images[0], &*images[1], &*images[2]];
        let args =
            out_of_range_images::resources::Args { index: &index, output: &mut output, several, threads };
        kernel.launch(&queue, args).unwrap();
        let want: Vec<u32> = all.iter().map(|i| 100 + i.min(&2)).collect();
        assert_eq!(output.read(&queue).unwrap(), want);
    }
}

const SAME: fn(u32) -> u32 = |n| n;
const FLOAT: fn(u32) -> u32 = |n| (n as f32).to_bits();
/// Words of the kernel's `Element`.
const ELEMENT: usize = 20;

#[test]
fn buffers() {
    let device = device();
    let queue = device.queue();
    let mut wrong = Vec::new();
    // kernel: buffer, words in it, first word of an element, words between elements, elements, words that are written
    macro_rules! kernels {
        ($($name:ident: $buffer:ident: $element:ty, $total:expr, $start:expr, $stride:expr, $len:expr, $make:expr, $copies:expr;)*) => {$({
            let table = Table::new($total, $start, $stride, $len, $make);
            let kernel = out_of_range::$name::load(&device).unwrap();
            for i in indices($len) {
                let elements = bytemuck::pod_collect_to_vec(&table.words);
                let mut buffer: Buffer<$element> = device.buffer_from(&elements).unwrap();
                let mut output = device.buffer::<u32>(4).unwrap();
                let params = out_of_range::Params { one: i, rows: [[0; 4]; 6], last: [0; 3] };
                let args = out_of_range::$name::Args {
                    output: &mut output, $buffer: &mut buffer, params, threads: [1, 1, 1],
                };
                kernel.launch(&queue, args).unwrap();
                let read = output.read(&queue).unwrap()[0];
                let words: Vec<u32> = bytemuck::pod_collect_to_vec(&buffer.read(&queue).unwrap());
                let (want, after) = (if i < $len { 100 + i } else { 0 }, table.after(i, $make, $copies));
                if (read, &words) != (want, &after) {
                    wrong.push(format!("{}[{i:#x}]: {read} {words:?}, not {want} {after:?}", stringify!($name)));
                }
            }
        })*};
    }
    kernels! {
        buffer_words: words: u32, 12, 0, 1, 12, SAME, 1;
        buffer_atomics: words: u32, 12, 0, 1, 12, SAME, 1;
        buffer_vectors: vectors: [f32; 4], 20, 0, 4, 5, FLOAT, 4;
        buffer_parts: elements: out_of_range::Element, 3 * ELEMENT, ELEMENT + 1, 1, 3, SAME, 1;
        buffer_rows: elements: out_of_range::Element, 3 * ELEMENT, ELEMENT + 4 + 8, 1, 4, FLOAT, 1;
    }
    assert!(wrong.is_empty(), "on {}:\n{}", device.name(), wrong.join("\n"));
}
