//! The binary format: the grammar's tables, and writing modules.

pub mod op_table;
