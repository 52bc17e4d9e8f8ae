//! The program as its users meet it: good input gives a picture, bad input one clear line and nothing left behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PICTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/images/evening.png");

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

fn blur(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_blur")).current_dir(dir).args(args).output().unwrap()
}

/// Files in a folder.
fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn texels(path: &Path) -> (u32, u32, Vec<u8>) {
    let file = std::io::BufReader::new(fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut data = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut data).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgba);
    (info.width, info.height, data)
}

/// Writes an RGBA picture whose texels are a function of their place.
fn picture(path: &Path, width: u32, height: u32, texel: impl Fn(u32, u32) -> [u8; 4]) {
    let mut encoder = png::Encoder::new(fs::File::create(path).unwrap(), width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let data: Vec<u8> =
        (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| texel(x, y)).collect();
    encoder.write_header().unwrap().write_image_data(&data).unwrap();
}

#[test]
fn the_bundled_picture_needs_no_arguments() {
    let dir = folder("bundled");
    let out = blur(&dir, &[]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(text.contains("device") && text.contains("kernel") && text.contains("blurred.png"), "{text}");
    assert_eq!(files(&dir), ["blurred.png"]);
    assert_eq!(texels(&dir.join("blurred.png")).0, 641);
}

#[test]
fn radius_zero_changes_nothing_and_sums_are_kept() {
    let dir = folder("radius");
    picture(&dir.join("in.png"), 33, 17, |x, y| [(x * 7) as u8, (y * 15) as u8, (x ^ y) as u8, 255]);
    assert!(blur(&dir, &["in.png", "out.png", "--radius", "0", "--device", "cpu"]).status.success());
    assert_eq!(texels(&dir.join("out.png")), texels(&dir.join("in.png")));

    picture(&dir.join("flat.png"), 19, 40, |_, _| [10, 200, 77, 128]);
    assert!(blur(&dir, &["flat.png", "out.png", "--radius", "12", "--device", "cpu"]).status.success());
    assert_eq!(texels(&dir.join("out.png")), texels(&dir.join("flat.png")));
}

#[test]
fn transparent_texels_lend_no_colour() {
    let dir = folder("alpha");
    // Opaque red beside invisible green: whatever is visible afterwards is red.
    picture(&dir.join("in.png"), 16, 4, |x, _| if x < 8 { [255, 0, 0, 255] } else { [0, 255, 0, 0] });
    assert!(blur(&dir, &["in.png", "out.png", "--radius", "4", "--device", "cpu"]).status.success());
    let (_, _, out) = texels(&dir.join("out.png"));
    for t in out.as_chunks::<4>().0 {
        assert!(t[3] == 0 || t[0] == 255 && t[1] == 0, "{t:?}");
    }
    assert!(out[8 * 4 + 3] > 0 && out[8 * 4 + 3] < 255);
}

#[test]
fn cpu_and_vulkan_give_the_same_picture() {
    let dir = folder("devices");
    let vulkan = blur(&dir, &[PICTURE, "vulkan.png", "--radius", "9", "--device", "vulkan:0"]);
    if !vulkan.status.success() {
        let why = String::from_utf8_lossy(&vulkan.stderr).into_owned();
        assert!(std::env::var_os("SPIRV_REQUIRE_COMPONENTS").is_none(), "{why}");
        eprintln!("skipped: {why}");
        return;
    }
    assert!(blur(&dir, &[PICTURE, "cpu.png", "--radius", "9", "--device", "cpu"]).status.success());
    let (a, b) = (texels(&dir.join("vulkan.png")).2, texels(&dir.join("cpu.png")).2);
    let worst = a.iter().zip(&b).map(|(a, b)| a.abs_diff(*b)).max();
    assert!(worst <= Some(1), "{worst:?}");
}

#[test]
fn bad_input_is_one_clear_line() {
    let dir = folder("bad");
    fs::write(dir.join("text.png"), "this is no picture").unwrap();
    fs::write(dir.join("empty.png"), "").unwrap();
    let good = fs::read(PICTURE).unwrap();
    fs::write(dir.join("cut.png"), &good[..good.len() / 2]).unwrap();
    // A header with a width of zero, and one of a picture too large to think of.
    let mut zero = good.clone();
    zero[16..20].fill(0);
    fs::write(dir.join("zero.png"), zero).unwrap();
    let mut huge = good;
    huge[16..24].fill(0x7f);
    fs::write(dir.join("huge.png"), huge).unwrap();
    fs::write(dir.join("cut.jpg"), [0xff, 0xd8, 0xff, 0xe0, 0, 16]).unwrap();
    let before = files(&dir);
    for (args, expected) in [
        (&["missing.png", "out.png"][..], "cannot read missing.png"),
        (&["text.png", "out.png"], "text.png: this is neither a PNG nor a JPEG file"),
        (&["empty.png", "out.png"], "empty.png: this is neither"),
        (&["cut.png", "out.png"], "cut.png: damaged PNG file"),
        (&["cut.jpg", "out.png"], "cut.jpg: damaged JPEG file"),
        (&["zero.png", "out.png"], "zero.png: the picture is empty: 0 x 479"),
        (&["huge.png", "out.png"], "huge.png: the picture is too large"),
        (&[".", "out.png"], "cannot read ."),
        (&[PICTURE, "no/such/folder/out.png"], "cannot write no/such/folder/out.png"),
        (&[PICTURE, "."], "cannot write ."),
        (&[PICTURE, "out.png", "--radius", "-1"], "from 0 to"),
        (&[PICTURE, "out.png", "--radius", "1e9"], "from 0 to"),
        (&[PICTURE, "out.png", "--radius", "2.5"], "from 0 to"),
        (&[PICTURE, "out.png", "--radius", "nan"], "from 0 to"),
        (&[PICTURE, "out.png", "--radius", "many"], "not a number"),
        (&[PICTURE, "out.png", "--radius"], "needs a value"),
        (&[PICTURE, "out.png", "--device", "toaster"], "toaster"),
        (&[PICTURE, "out.png", "--device", "vulkan:99"], "99"),
        (&[PICTURE, "out.png", "--speed", "9"], "unknown option"),
        (&[PICTURE], "give an input and an output"),
    ] {
        let out = blur(&dir, args);
        let text = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(1), "{args:?}: {text}");
        assert!(text.starts_with("blur: ") && text.contains(expected), "{args:?}: {text}");
        let usage = text.lines().filter(|l| !l.starts_with("usage:")).count();
        assert_eq!(usage, 1, "{args:?}: {text}");
        assert!(out.stdout.is_empty());
        assert_eq!(files(&dir), before, "{args:?} left something behind");
    }
}
