//! A library in the place of the loaders of Vulkan and Level Zero, which hands every call on to the true one, but for
//! those that a test wants to fail. It also counts calls, and the objects that were made and not destroyed.
//!
//! The runtime opens it where `SPIRV_VULKAN_LOADER` or `SPIRV_LEVEL_ZERO_LOADER` names it; `FAULTS_VULKAN` and
//! `FAULTS_LEVEL_ZERO` name the loaders behind it. A call that fails is not handed on: to all that is below, layers of
//! validation among them, it never happened. A Vulkan device that was lost stays lost, as the specification has it: the
//! calls that can say so do, and what waits for it returns.
//!
//! The functions of `control` are the test's side.
#![allow(non_snake_case)]
// The contract of every exported function is the specification's.
#![allow(clippy::missing_safety_doc)]

mod control;
mod level_zero;
mod vulkan;
