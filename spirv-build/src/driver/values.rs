//! Values of flags that are more than a word.

use super::flags::Command;
use crate::passes::bind_resources::Shift;
use crate::pipeline::Register;

/// Largest shift: numbers of bindings count on from it.
const MAX_SHIFT: u32 = 1 << 31;

/// `-fvk-t-shift 16 0`.
pub(super) fn shift(c: &mut Command, class: char, value: &str) -> Result<(), String> {
    let (by, space) = value.split_once(' ').unwrap_or((value, ""));
    let space = if space == "all" { Some(None) } else { space.parse().ok().map(Some) };
    match (by.parse(), space) {
        (Ok(by), Some(_)) if by > MAX_SHIFT => {
            Err(format!("`-fvk-{class}-shift` takes a number up to {MAX_SHIFT}"))
        }
        (Ok(by), Some(space)) => {
            c.shifts.push(Shift { class, by, space });
            Ok(())
        }
        _ => Err(format!("`-fvk-{class}-shift` needs a number and a space (a number or `all`)")),
    }
}

/// Binding and set.
pub(super) fn pair(name: &str, value: &str) -> Result<(u32, u32), String> {
    let numbers = value.split_once(' ').map(|(a, b)| (a.parse(), b.parse()));
    match numbers {
        Some((Ok(binding), Ok(set))) => Ok((binding, set)),
        _ => Err(format!("`{name}` needs two numbers: binding and set")),
    }
}

/// Set and binding of a heap.
pub(super) fn heap(name: &str, value: &str) -> Result<Option<(u32, u32)>, String> {
    pair(name, value).map(|(binding, set)| Some((set, binding)))
}

/// `t3 0 5 1`: class, number and space of a register; binding and set.
pub(super) fn register(value: &str) -> Result<Register, String> {
    let wrong =
        || "`-fvk-bind-register` needs a register, its space, a binding and a set: t3 0 5 1".to_string();
    let words: Vec<&str> = value.split(' ').collect();
    let [name, space, binding, set] = words[..] else { return Err(wrong()) };
    let class = name.chars().next().map(|c| c.to_ascii_lowercase()).filter(|c| "btus".contains(*c));
    let class = class.ok_or_else(wrong)?;
    let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
    Ok(Register {
        register: (class, number(&name[1..])?, number(space)?),
        binding: (number(set)?, number(binding)?),
    })
}
