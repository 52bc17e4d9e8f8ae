//! Reading and writing pictures.

use std::fs::{self, File};
use std::io::{BufWriter, Cursor, Write};
use std::path::{Path, PathBuf};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Texels in a row or column of the largest picture.
pub const MAX_SIZE: u32 = 16384;

/// A picture of 8-bit RGBA texels, rows from the top.
pub struct Picture {
    /// Texels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width * height` texels.
    pub texels: Vec<[u8; 4]>,
}

/// Reads a PNG or JPEG file.
pub fn read(path: &Path) -> Result<Picture, String> {
    let bytes = fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    decode(&bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// Decodes PNG or JPEG data, whatever its file is called.
pub fn decode(bytes: &[u8]) -> Result<Picture, String> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        decode_png(bytes)
    } else if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        decode_jpeg(bytes)
    } else {
        Err("this is neither a PNG nor a JPEG file".into())
    }
}

fn check_size(width: usize, height: usize) -> Result<(u32, u32), String> {
    let limit = MAX_SIZE as usize;
    if width == 0 || height == 0 {
        Err(format!("the picture is empty: {width} x {height}"))
    } else if width > limit || height > limit {
        Err(format!("the picture is too large: {width} x {height}, at most {limit} x {limit}"))
    } else {
        Ok((width as u32, height as u32))
    }
}

fn decode_png(bytes: &[u8]) -> Result<Picture, String> {
    let bad = |e: png::DecodingError| format!("damaged PNG file: {e}");
    // The decoder refuses a width of zero without saying so: the header is looked at first.
    let header: Option<[u8; 8]> = bytes.get(16..24).and_then(|b| b.try_into().ok());
    if let Some([a, b, c, d, e, f, g, h]) = header {
        check_size(u32::from_be_bytes([a, b, c, d]) as usize, u32::from_be_bytes([e, f, g, h]) as usize)?;
    }
    // The limit is on what the decoder sets aside, compressed colour profiles and texts included.
    let limits = png::Limits { bytes: 1 << 31 };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(bad)?;
    let size = reader.output_buffer_size().ok_or("the picture is too large for this machine")?;
    let mut data = vec![0; size];
    let info = reader.next_frame(&mut data).map_err(bad)?;
    let (width, height) = check_size(info.width as usize, info.height as usize)?;
    let data = &data[..info.buffer_size()];
    let texels = match info.color_type {
        png::ColorType::Rgba => data.as_chunks::<4>().0.to_vec(),
        png::ColorType::Rgb => data.as_chunks::<3>().0.iter().map(|&[r, g, b]| [r, g, b, 255]).collect(),
        png::ColorType::Grayscale => data.iter().map(|&v| [v, v, v, 255]).collect(),
        png::ColorType::GrayscaleAlpha => {
            data.as_chunks::<2>().0.iter().map(|&[v, a]| [v, v, v, a]).collect()
        }
        png::ColorType::Indexed => return Err("damaged PNG file: no palette".into()),
    };
    whole(Picture { width, height, texels })
}

fn decode_jpeg(bytes: &[u8]) -> Result<Picture, String> {
    // The decoder's messages end in line breaks.
    let bad = |e| {
        format!("damaged JPEG file: {}", format!("{e:?}").split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let limit = MAX_SIZE as usize * 4;
    let options = DecoderOptions::default()
        .set_max_width(limit)
        .set_max_height(limit)
        .jpeg_set_out_colorspace(ColorSpace::RGBA);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(bad)?;
    let (width, height) = decoder.dimensions().ok_or("damaged JPEG file: no size")?;
    let (width, height) = check_size(width, height)?;
    let data = decoder.decode().map_err(bad)?;
    whole(Picture { width, height, texels: data.as_chunks::<4>().0.to_vec() })
}

/// Decoders answer for the number of texels; a wrong one would be a wrong picture.
fn whole(picture: Picture) -> Result<Picture, String> {
    let expected = picture.width as usize * picture.height as usize;
    if picture.texels.len() == expected {
        Ok(picture)
    } else {
        Err(format!("the file holds {} of {expected} texels", picture.texels.len()))
    }
}

/// A PNG file being made. It is written beside its place and moved there when it is complete: nobody ever sees half.
pub struct Output {
    path: PathBuf,
    partial: PathBuf,
    file: File,
    done: bool,
}

impl Output {
    /// Makes sure that the file can be written.
    pub fn create(path: &Path) -> Result<Output, String> {
        let bad = |e: &dyn std::fmt::Display| format!("cannot write {}: {e}", path.display());
        let Some(name) = path.file_name() else { return Err(bad(&"this names no file")) };
        if path.is_dir() {
            return Err(bad(&"this is a folder"));
        }
        let mut partial = name.to_owned();
        partial.push(format!(".{}.partial", std::process::id()));
        let partial = path.with_file_name(partial);
        let file = File::create(&partial).map_err(|e| bad(&e))?;
        Ok(Output { path: path.into(), partial, file, done: false })
    }

    /// Writes the picture and moves the file to its place.
    pub fn write(mut self, picture: &Picture) -> Result<(), String> {
        let bad = |e: &dyn std::fmt::Display| format!("cannot write {}: {e}", self.path.display());
        let mut out = BufWriter::new(&self.file);
        let mut encoder = png::Encoder::new(&mut out, picture.width, picture.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().map_err(|e| bad(&e))?;
        writer.write_image_data(picture.texels.as_flattened()).map_err(|e| bad(&e))?;
        writer.finish().map_err(|e| bad(&e))?;
        out.flush().map_err(|e| bad(&e))?;
        drop(out);
        fs::rename(&self.partial, &self.path).map_err(|e| bad(&e))?;
        self.done = true;
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.done {
            // Nothing better can be done about a failure here.
            let _ = fs::remove_file(&self.partial);
        }
    }
}
