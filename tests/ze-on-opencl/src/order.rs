//! The order in which a list's commands run.

/// What of a command matters for its order; events are told apart by number.
#[derive(Debug, Clone, Default)]
pub struct Ties {
    pub barrier: bool,
    pub waits: Vec<usize>,
    pub signal: Option<usize>,
}

/// Indices of the commands in the order to run them. Shuffled, a run of commands that neither a barrier nor an event
/// of one of them separates is reversed: that is as allowed as the other order, and finds missing barriers.
pub fn order(commands: &[Ties], shuffle: bool) -> Vec<usize> {
    if !shuffle {
        return (0..commands.len()).collect();
    }
    let mut out = Vec::with_capacity(commands.len());
    let mut begin = 0;
    while begin < commands.len() {
        let mut end = begin;
        while end < commands.len() && !commands[end].barrier {
            let run = &commands[begin..end];
            if run.iter().any(|c| c.signal.is_some_and(|s| commands[end].waits.contains(&s))) {
                break;
            }
            end += 1;
        }
        out.extend((begin..end).rev());
        if end < commands.len() && commands[end].barrier {
            out.push(end);
            end += 1;
        }
        begin = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Ties {
        Ties::default()
    }

    fn barrier() -> Ties {
        Ties { barrier: true, ..plain() }
    }

    #[test]
    fn barriers_separate_what_is_reversed() {
        let commands = [plain(), plain(), barrier(), plain(), plain(), plain()];
        assert_eq!(order(&commands, false), [0, 1, 2, 3, 4, 5]);
        assert_eq!(order(&commands, true), [1, 0, 2, 5, 4, 3]);
        assert_eq!(order(&[barrier(), barrier(), plain()], true), [0, 1, 2]);
    }

    #[test]
    fn events_keep_their_order() {
        let signal = Ties { signal: Some(7), ..plain() };
        let wait = Ties { waits: vec![7], ..plain() };
        assert_eq!(order(&[plain(), signal, wait, plain()], true), [1, 0, 3, 2]);
    }
}
