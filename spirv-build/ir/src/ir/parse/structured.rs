//! Structured operations.

use super::Parser;
use super::function::Body;
use super::text::Read;
use crate::ir::walk::MAX_NESTING;
use crate::ir::{Block, BlockData, InstData, Opcode, Operand, Region, RegionData, Type};
use crate::source::Span;
use smallvec::smallvec;
use spirv_spec::Kind;

impl<'a> Parser<'a> {
    /// ` -> i32` or ` -> (i32, f32)` of a structured operation.
    fn result_types(&mut self, results: &[(&'a str, usize)]) -> Read<Vec<Type>> {
        let mut types = Vec::new();
        if self.t.eat("->") {
            if results.len() == 1 {
                types.push(self.read_type()?);
            } else {
                self.t.expect("(")?;
                loop {
                    types.push(self.read_type()?);
                    if self.t.eat(")") {
                        break;
                    }
                    self.t.expect(",")?;
                }
            }
        }
        if types.len() == results.len() {
            return Ok(types);
        }
        Err(self.t.error(format!("the operation has {} results, but {} types", results.len(), types.len())))
    }

    /// A region in braces. The block may have its arguments already.
    fn region(&mut self, b: &mut Body<'a>, block: Block, depth: usize) -> Read<Region> {
        if depth > MAX_NESTING {
            return Err(self.t.error(format!("operations are nested more than {MAX_NESTING} deep")));
        }
        self.t.expect("{")?;
        while !self.t.eat("}") {
            self.inst(b, block, depth)?;
        }
        Ok(b.f.regions.push(RegionData { blocks: smallvec![block] }))
    }

    fn new_region(&mut self, b: &mut Body<'a>, depth: usize) -> Read<Region> {
        let block = b.f.blocks.push(BlockData::default());
        self.region(b, block, depth)
    }

    /// ` control<Unroll>`, or `control<MaxIterations, 4>`.
    fn hint(&mut self, data: &mut InstData) -> Read<()> {
        if self.t.eat("control") {
            let is_loop = data.op == Opcode::Loop;
            let kind = if is_loop { Kind::LoopControl } else { Kind::SelectionControl };
            self.t.expect("<")?;
            data.control.0 = self.mask(kind)?;
            if self.t.eat(",") {
                data.control.1 = Some(self.t.small()?);
            }
            self.t.expect(">")?;
        }
        Ok(())
    }

    pub(super) fn selection(
        &mut self,
        b: &mut Body<'a>,
        block: Block,
        depth: usize,
        results: &[(&'a str, usize)],
    ) -> Read<()> {
        let mut data = InstData::new(Opcode::Selection, [], Span::default());
        self.values(b, &mut data.operands)?;
        self.hint(&mut data)?;
        let types = self.result_types(results)?;
        data.regions.push(self.new_region(b, depth + 1)?);
        data.regions.push(if self.t.eat("else") {
            self.new_region(b, depth + 1)?
        } else {
            let (region, block) = b.f.make_region();
            let merge = b.f.insts.push(InstData::new(Opcode::Merge, [], Span::default()));
            b.f.blocks[block].insts.push(merge);
            region
        });
        self.append(b, block, data, &types, results).map(|_| ())
    }

    pub(super) fn switch(
        &mut self,
        b: &mut Body<'a>,
        block: Block,
        depth: usize,
        results: &[(&'a str, usize)],
    ) -> Read<()> {
        let mut data = InstData::new(Opcode::Switch, [], Span::default());
        self.values(b, &mut data.operands)?;
        self.hint(&mut data)?;
        let types = self.result_types(results)?;
        let mut at = 0;
        loop {
            if !self.t.eat(if at == 0 { "default" } else { "case" }) {
                if at == 0 {
                    return Err(self.t.error("expected `default`"));
                }
                break;
            }
            while self.t.peek().is_some_and(|c| c.is_ascii_digit()) {
                data.operands.extend([Operand::Wide(self.t.number()?), Operand::Literal(at)]);
            }
            data.regions.push(self.new_region(b, depth + 1)?);
            at += 1;
        }
        self.append(b, block, data, &types, results).map(|_| ())
    }

    pub(super) fn loop_op(
        &mut self,
        b: &mut Body<'a>,
        block: Block,
        depth: usize,
        results: &[(&'a str, usize)],
    ) -> Read<()> {
        let mut data = InstData::new(Opcode::Loop, [], Span::default());
        let body = b.f.blocks.push(BlockData::default());
        if self.t.eat("(") {
            loop {
                let at = self.t.here();
                let name = self.t.name("%")?;
                self.t.expect("=")?;
                data.operands.push(Operand::Id(self.value(b)?));
                self.t.expect(":")?;
                let ty = self.read_type()?;
                self.arg(b, body, name, ty, at)?;
                if self.t.eat(")") {
                    break;
                }
                self.t.expect(",")?;
            }
        }
        self.hint(&mut data)?;
        let types = self.result_types(results)?;
        data.regions.push(self.region(b, body, depth + 1)?);
        self.t.expect("continuing")?;
        let continuing = b.f.blocks.push(BlockData::default());
        if self.t.peek() == Some(b'(') {
            self.args(b, continuing)?;
        }
        data.regions.push(self.region(b, continuing, depth + 1)?);
        self.append(b, block, data, &types, results).map(|_| ())
    }
}
