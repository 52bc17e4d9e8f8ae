//! Edits of `kernels/edits.hlsl` as somebody makes them who looks for a mistake. After each the same Rust code compiles and runs.

/// What to look for, and what to put there.
pub type Change = (&'static str, &'static str);

/// One row an edit: its name, its changes, and what it leaves in `result` for thread `i` (a Rust expression, with `v` for
/// `values[i]`).
pub const EDITS: &[(&str, &[Change], &str)] = &[
    ("nothing", &[], "2.0 * v + 0.5 + 6.0 + 8.0"),
    ("a_line_is_commented_out", &[("    sum += photo", "    // sum += photo")], "2.0 * v + 0.5 + 6.0"),
    ("returns_first", &[("    uint i = id.x;", "    return;\n    uint i = id.x;")], "-1.0"),
    ("returns_after_the_result", &[("    marks[", "    return;\n    marks[")], "2.0 * v + 0.5 + 6.0 + 8.0"),
    (
        "returns_if_true",
        &[("    uint i = id.x;", "    if (true)\n        return;\n    uint i = id.x;")],
        "-1.0",
    ),
    ("a_constant_for_a_read", &[("values[i] *", "3.0f *")], "6.0 + 0.5 + 6.0 + 8.0"),
    ("a_constant_for_the_loop", &[("k < rounds", "k < 2")], "2.0 * v + 0.5 + 3.0 + 8.0"),
    ("no_round_of_the_loop", &[("k < rounds", "k < 0")], "2.0 * v + 0.5 + 8.0"),
    (
        "the_loop_is_preprocessed_away",
        &[("    for (uint k", "#if 0\n    for (uint k"), ("    return sum;", "#endif\n    return sum;")],
        "2.0 * v + 0.5 + 8.0",
    ),
    (
        "a_call_is_commented_out",
        &[("    sum += around();", "    // sum += around();")],
        "2.0 * v + 0.5 + 8.0",
    ),
    (
        "a_call_in_a_dead_branch",
        &[("    sum += around();", "    if (false)\n        sum += around();")],
        "2.0 * v + 0.5 + 8.0",
    ),
    (
        "a_branch_of_a_choice",
        &[("sum += around()", "sum += false ? around() : 1")],
        "2.0 * v + 0.5 + 1.0 + 8.0",
    ),
    ("times_zero", &[("sum += around()", "sum += 0 * int(around())")], "2.0 * v + 0.5 + 8.0"),
    (
        "a_debug_switch",
        &[
            ("float weight", "static const bool debug = false;\n\nfloat weight"),
            ("    seen.", "    if (debug)\n        seen."),
        ],
        "2.0 * v + 0.5 + 6.0 + 8.0",
    ),
    (
        "a_macro_is_empty",
        &[
            ("float weight", "#define SHOW(x)\n\nfloat weight"),
            ("sum += photo[uint2(i % 4, 0)].x", "SHOW(photo[0].x)"),
        ],
        "2.0 * v + 0.5 + 6.0",
    ),
    (
        "the_settings_are_constants",
        &[("settings.scale", "2"), ("settings.count", "16"), ("settings.bias", "0.25")],
        "2.0 * v + 0.25 + 6.0 + 8.0",
    ),
    ("a_helper_is_empty", &[("    return values[i] * settings.scale;", "    return 1;")], "1.5 + 6.0 + 8.0"),
    (
        "the_result_is_overwritten",
        &[("    result[i] = sum;", "    result[i] = sum;\n    sum = 4;\n    result[i] = sum;")],
        "4.0",
    ),
    (
        "nothing_is_written",
        &[
            ("    result[i]", "    // result[i]"),
            ("    marks[", "    // marks["),
            ("    seen.", "    // seen."),
            ("    tally[", "    if (i > 99) tally["),
        ],
        "-1.0",
    ),
    (
        "an_unused_helper",
        &[("[numthreads", "float unused(uint i)\n{\n    return spare[i].x + values[i];\n}\n\n[numthreads")],
        "2.0 * v + 0.5 + 6.0 + 8.0",
    ),
    (
        "the_spare_buffer_is_used",
        &[("    result[i] =", "    result[i] = spare[i].y +")],
        "2.0 * v + 0.5 + 6.0 + 8.0 + 100.0",
    ),
    (
        "an_unused_local",
        &[("    result[i] = sum;", "    float2 other = spare[i];\n    result[i] = i;")],
        "i as f32",
    ),
    ("no_appending", &[("    seen.Append(i);", "")], "2.0 * v + 0.5 + 6.0 + 8.0"),
    ("the_size_of_an_element", &[("    result[i] = sum;", "    result[i] = sizeof(spare[0]);")], "8.0"),
    (
        "a_loop_that_breaks",
        &[(
            "        sum += asfloat(rows.Load(4 * k));",
            "    {\n        break;\n        sum += asfloat(rows.Load(4 * k));\n    }",
        )],
        "2.0 * v + 0.5 + 8.0",
    ),
    (
        "a_case_that_is_not",
        &[(
            "    sum += photo",
            "    switch (1) {\n    case 2: sum += 1; break;\n    default: break;\n    }\n    sum += photo",
        )],
        "2.0 * v + 0.5 + 6.0 + 8.0",
    ),
];
