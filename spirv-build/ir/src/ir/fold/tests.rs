use super::*;

/// Folds an operation on scalars; `None`: it is left alone.
fn bits(op: Op, to: TypeKind, args: &[(TypeKind, u64)]) -> Option<u64> {
    let mut ctx = Context::default();
    let ty = ctx.types.intern(to);
    let args: Vec<Arg> = args
        .iter()
        .map(|(kind, bits)| {
            let ty = ctx.types.intern(kind.clone());
            let kind =
                if ctx.types.is_bool(ty) { ConstKind::Bool(*bits != 0) } else { ConstKind::Bits(*bits) };
            Arg::Const(ctx.constant(ty, kind))
        })
        .collect();
    let c = fold(&mut ctx, op, ty, &args)?;
    assert_eq!(ctx.consts.ty(c), ty);
    ctx.consts.bits(c)
}

fn int(width: u8) -> TypeKind {
    TypeKind::Int { width, signed: false }
}

fn float(width: u8) -> TypeKind {
    TypeKind::Float { width }
}

#[test]
fn integers_are_computed_in_their_width() {
    let two = |op, width: u8, a: u64, b: u64| bits(op, int(width), &[(int(width), a), (int(width), b)]);
    for (op, width, a, b, wanted) in [
        (Op::IAdd, 8, 255, 2, Some(1)),
        (Op::ISub, 32, 1, 2, Some(0xffff_ffff)),
        (Op::IMul, 64, u64::MAX, 2, Some(u64::MAX - 1)),
        (Op::UDiv, 32, 7, 2, Some(3)),
        (Op::UDiv, 32, 7, 0, None),
        (Op::UMod, 32, 7, 0, None),
        (Op::SDiv, 32, 0xffff_fff9, 2, Some(0xffff_fffd)),
        (Op::SDiv, 32, 0x8000_0000, 0xffff_ffff, None),
        (Op::SDiv, 64, 1 << 63, u64::MAX, None),
        (Op::SDiv, 16, 0x8000, 0xffff, None),
        (Op::SRem, 32, 0xffff_fff9, 4, Some(0xffff_fffd)),
        (Op::SMod, 32, 0xffff_fff9, 4, Some(1)),
        (Op::SMod, 32, 7, 0xffff_fffc, Some(0xffff_ffff)),
        (Op::ShiftLeftLogical, 32, 1, 31, Some(0x8000_0000)),
        (Op::ShiftLeftLogical, 32, 1, 32, None),
        (Op::ShiftRightLogical, 8, 0x80, 7, Some(1)),
        (Op::ShiftRightArithmetic, 8, 0x80, 7, Some(0xff)),
        (Op::BitwiseXor, 16, 0xff00, 0x0ff0, Some(0xf0f0)),
    ] {
        assert_eq!(two(op, width, a, b), wanted, "{op:?} of {width} bits: {a:#x}, {b:#x}");
    }
    let one = |op, width: u8, a: u64| bits(op, int(width), &[(int(width), a)]);
    assert_eq!(one(Op::Not, 16, 0xff), Some(0xff00));
    assert_eq!(one(Op::SNegate, 32, 1), Some(0xffff_ffff));
    assert_eq!(one(Op::BitReverse, 32, 1), Some(0x8000_0000));
    assert_eq!(one(Op::BitCount, 32, 0xf0f0), Some(8));
    let field = |op, args: &[u64]| {
        let args: Vec<_> = args.iter().map(|a| (int(32), *a)).collect();
        bits(op, int(32), &args)
    };
    assert_eq!(field(Op::BitFieldUExtract, &[0xabcd, 4, 8]), Some(0xbc));
    assert_eq!(field(Op::BitFieldSExtract, &[0xabcd, 4, 8]), Some(0xffff_ffbc));
    assert_eq!(field(Op::BitFieldSExtract, &[0xabcd, 32, 0]), Some(0));
    assert_eq!(field(Op::BitFieldUExtract, &[0xabcd, 31, 2]), None);
    assert_eq!(field(Op::BitFieldInsert, &[0xffff_ffff, 0, 8, 8]), Some(0xffff_00ff));
    assert_eq!(field(Op::BitFieldInsert, &[1, 0xabcd, 0, 32]), Some(0xabcd));
}

#[test]
fn comparisons_and_conversions_know_signs() {
    let less = |op| bits(op, TypeKind::Bool, &[(int(8), 0xff), (int(8), 1)]);
    assert_eq!((less(Op::ULessThan), less(Op::SLessThan)), (Some(0), Some(1)));
    let convert = |op, from: u8, to: u8, a: u64| bits(op, int(to), &[(int(from), a)]);
    assert_eq!(convert(Op::SConvert, 8, 32, 0x80), Some(0xffff_ff80));
    assert_eq!(convert(Op::UConvert, 8, 32, 0x80), Some(0x80));
    assert_eq!(convert(Op::UConvert, 32, 8, 0x1ff), Some(0xff));
    assert_eq!(bits(Op::Bitcast, int(32), &[(float(32), 0x3f80_0000)]), Some(0x3f80_0000));
}

#[test]
fn floats_are_folded_where_devices_agree() {
    let f = |x: f32| (float(32), u64::from(x.to_bits()));
    let result = |op, a: f32, b: f32| bits(op, float(32), &[f(a), f(b)]).map(|n| f32::from_bits(n as u32));
    assert_eq!(result(Op::FAdd, 0.1, 0.2), Some(0.1 + 0.2));
    assert_eq!(result(Op::FMul, 1e30, 1e30), Some(f32::INFINITY));
    assert_eq!(result(Op::FSub, f32::INFINITY, f32::INFINITY), None);
    assert_eq!(result(Op::FMul, 1e-30, 1e-10), None);
    assert_eq!(result(Op::FAdd, f32::NAN, 1.0), None);
    assert_eq!(result(Op::FDiv, 1.0, 3.0), None);
    // Half an ulp that rounding twice would get wrong.
    let d = |x: f64| (float(64), x.to_bits());
    assert_eq!(bits(Op::FAdd, float(64), &[d(0.1), d(0.2)]), Some((0.1f64 + 0.2).to_bits()));
    assert_eq!(bits(Op::FConvert, float(32), &[d(0.1)]), Some(u64::from(0.1f32.to_bits())));
    let odd = (1u64 << 40) + (1 << 16) + 1;
    assert_eq!(bits(Op::ConvertUToF, float(32), &[(int(64), odd)]), Some(u64::from((odd as f32).to_bits())));
    let to_int = |op, x: f32| bits(op, int(32), &[f(x)]);
    assert_eq!(to_int(Op::ConvertFToS, -1.5), Some(0xffff_ffff));
    assert_eq!(to_int(Op::ConvertFToS, 2147483648.0), None);
    assert_eq!(to_int(Op::ConvertFToS, -2147483648.0), Some(0x8000_0000));
    assert_eq!(to_int(Op::ConvertFToU, -0.5), Some(0));
    assert_eq!(to_int(Op::ConvertFToU, -1.0), None);
    assert_eq!(to_int(Op::ConvertFToU, f32::NAN), None);
    let less = |a, b| bits(Op::FOrdLessThan, TypeKind::Bool, &[f(a), f(b)]);
    assert_eq!((less(1.0, 2.0), less(1.0, f32::NAN), less(0.0, 1e-45)), (Some(1), None, None));
}

#[test]
fn composites_are_taken_apart_and_put_together() {
    let mut ctx = Context::default();
    let scalar = ctx.types.u32();
    let pair = ctx.types.vector(scalar, 2);
    let four = ctx.types.vector(scalar, 4);
    let [a, b, c] = [1, 2, 3].map(|n| ctx.u32(n));
    let ab = fold(&mut ctx, Op::CompositeConstruct, pair, &[Arg::Const(a), Arg::Const(b)]).unwrap();
    let args = [Arg::Const(ab), Arg::Const(c), Arg::Const(a)];
    let abca = fold(&mut ctx, Op::CompositeConstruct, four, &args).unwrap();
    assert_eq!(fold(&mut ctx, Op::CompositeConstruct, four, &[Arg::Const(ab)]), None);
    let unknown = ctx.types.intern(TypeKind::Sampler);
    assert_eq!(fold(&mut ctx, Op::CompositeConstruct, unknown, &[Arg::Const(a)]), None);
    let extract = |ctx: &mut Context, of, n| {
        fold(ctx, Op::CompositeExtract, scalar, &[Arg::Const(of), Arg::Literal(n)])
    };
    assert_eq!(extract(&mut ctx, abca, 2), Some(c));
    assert_eq!(extract(&mut ctx, abca, 4), None);
    let args = [Arg::Const(c), Arg::Const(ab), Arg::Literal(0)];
    let cb = fold(&mut ctx, Op::CompositeInsert, pair, &args).unwrap();
    let args = [Arg::Const(ab), Arg::Const(cb), Arg::Literal(2), Arg::Literal(1)];
    assert_eq!(fold(&mut ctx, Op::VectorShuffle, pair, &args), Some(cb));
    let args = [Arg::Const(ab), Arg::Const(cb), Arg::Literal(u32::MAX), Arg::Literal(1)];
    assert_eq!(fold(&mut ctx, Op::VectorShuffle, pair, &args), None);
    let null = ctx.constant(pair, ConstKind::Null);
    let zero = ctx.u32(0);
    assert_eq!(extract(&mut ctx, null, 1), Some(zero));
    let sum = fold(&mut ctx, Op::IAdd, pair, &[Arg::Const(ab), Arg::Const(null)]);
    assert_eq!(sum, Some(ab));
    let undef = ctx.constant(pair, ConstKind::Undef);
    assert_eq!(fold(&mut ctx, Op::IAdd, pair, &[Arg::Const(ab), Arg::Const(undef)]), None);
    let spec = ctx.constant(scalar, ConstKind::spec(1, 2));
    assert_eq!(fold(&mut ctx, Op::IAdd, scalar, &[Arg::Const(a), Arg::Const(spec)]), None);
    let bool_ty = ctx.types.bool();
    let yes = ctx.constant(bool_ty, ConstKind::Bool(true));
    let args = [Arg::Const(yes), Arg::Const(undef), Arg::Const(ab)];
    assert_eq!(fold(&mut ctx, Op::Select, pair, &args), Some(undef));
    let args = [Arg::Const(ab), Arg::Const(b)];
    assert_eq!(fold(&mut ctx, Op::VectorExtractDynamic, scalar, &args), None);
    assert_eq!(fold(&mut ctx, Op::VectorExtractDynamic, scalar, &[Arg::Const(ab), Arg::Const(a)]), Some(b));
}
