//! What the source says of what it declares: typed attributes.

use super::Parser;
use super::text::Read;
use crate::ir::{Declared, Extent, Heap, HlslResource, ImageFormat, MatrixOrder, ScalarKind};

impl Parser<'_> {
    /// `si32`, if one stands here.
    pub(super) fn scalar_kind(&mut self) -> Read<Option<ScalarKind>> {
        for (word, kind) in [("bool", ScalarKind::Bool), ("address", ScalarKind::Address)] {
            if self.t.eat(word) {
                return Ok(Some(kind));
            }
        }
        if self.t.eat_prefix("si") {
            return Ok(Some(ScalarKind::Signed(self.t.small()?)));
        }
        if self.t.eat_prefix("ui") {
            return Ok(Some(ScalarKind::Unsigned(self.t.small()?)));
        }
        if self.t.eat_prefix("f") {
            return Ok(Some(ScalarKind::Float(self.t.small()?)));
        }
        Ok(None)
    }

    /// One fact of how something is declared. False if there is none.
    pub(super) fn declared(&mut self, out: &mut Option<Declared>) -> Read<bool> {
        if self.t.eat("spelled") {
            out.get_or_insert_default().spelling = self.t.string()?;
        } else if self.t.eat("of") {
            let Some(scalar) = self.scalar_kind()? else {
                return Err(self.t.error("expected a scalar: `bool`, `si32`, `ui32`, `f32`"));
            };
            out.get_or_insert_default().scalar = Some(scalar);
        } else if self.t.eat("by") {
            let order = match self.t.eat("rows") {
                true => MatrixOrder::RowMajor,
                false => self.t.expect("columns").map(|()| MatrixOrder::ColumnMajor)?,
            };
            out.get_or_insert_default().matrix = Some(order);
        } else if self.t.eat("size") {
            let size = self.t.small()?;
            self.t.expect("align")?;
            out.get_or_insert_default().extent = Some(Extent { size, align: self.t.small()? });
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// One fact that HLSL alone has of a resource. False if there is none.
    pub(super) fn of_hlsl(&mut self, out: &mut HlslResource) -> Read<bool> {
        if self.t.eat("texel") {
            self.t.expect("=")?;
            out.texel = Some(self.t.small()?);
        } else if self.t.eat("format") {
            self.t.expect("=")?;
            out.format = Some(self.enumerant::<ImageFormat>("format of images")?);
        } else if self.t.eat("compares") {
            out.compares = true;
        } else if self.t.eat("part_of") {
            self.t.expect("=")?;
            out.part_of = Some(self.t.small()?);
        } else if self.t.eat("heap") {
            self.t.expect("=")?;
            let at = self.t.here();
            let word = self.t.word()?;
            let heap = Heap::ALL.into_iter().find(|h| format!("{h:?}") == word);
            out.heap = Some(heap.ok_or_else(|| self.t.error_at(at, format!("`{word}` is no heap")))?);
        } else if self.t.eat("in_main") {
            out.in_main = true;
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}
