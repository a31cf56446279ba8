//! What is fuzzed. A target makes an input of chance and says what is wrong with what came of it.

mod inputs;
mod link;
mod lua;
mod pattern;
mod payload;
mod resp;
mod story;

use crate::chance::Chance;

pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// # Errors
    /// What should have held.
    pub(crate) run: fn(&mut Chance) -> Result<(), String>,
}

pub(crate) const TARGETS: &[Target] = &[
    Target { name: "requests", run: resp::requests },
    Target { name: "replies", run: resp::replies },
    Target { name: "story", run: story::run },
    Target { name: "link", run: link::run },
    Target { name: "script", run: lua::scripts },
    Target { name: "library", run: lua::libraries },
    Target { name: "lint", run: lua::lints },
    Target { name: "payload", run: payload::run },
    Target { name: "pattern", run: pattern::run },
    Target { name: "inputs", run: inputs::run },
];

/// Where two things should be the same.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, one: &T, other: &T) -> Result<(), String> {
    if one == other { Ok(()) } else { Err(format!("{what}: {one:?} is not {other:?}")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch;

    /// The short run of CI: the same cases each time.
    #[test]
    fn some_cases_of_each_target_find_nothing() {
        for target in TARGETS {
            for case in 1..=60 {
                if let Err(finding) = watch::run(target, case) {
                    panic!("{} --case {case}: {finding}", target.name);
                }
            }
        }
    }

    #[test]
    fn a_case_is_the_same_each_time() {
        let drawn = || {
            let mut chance = Chance::new(7);
            (chance.next(), chance.bytes(20), chance.mutate_text("one\ntwo\nthree"))
        };
        assert_eq!(drawn(), drawn());
    }
}
