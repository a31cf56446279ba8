//! A short run of the differential machine: random sequences of commands to the playground and to Debian's Redis.

use crate::clients;
use crate::setup::Tools;
use crate::tally::{Counts, Tally};

/// So many sequences of each family: all of them take about a minute. Longer runs are made by hand.
const SEQUENCES: &str = "150";

pub(crate) fn add_to(tally: &mut Tally, tools: &Tools) {
    let mut machine = clients::python(tools, "tests/parity/differential.py");
    machine.args(["all", "--version", "7.0", "--count", SEQUENCES]);
    tally.suite("random sequences on Debian's Redis", &mut machine, counts);
}

/// `hashes on 7.0: 150 sequences of seed 1, 0 differences (…)`: a line for each family.
fn counts(line: &str) -> Option<Counts> {
    let (_, found) = line.split_once(" sequences of seed ")?;
    let (_, found) = found.split_once(", ")?;
    let differences: u32 = found.split_once(" differences")?.0.parse().ok()?;
    Some(Counts { passed: u32::from(differences == 0), failed: differences, skipped: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_passes_without_differences() {
        let counted = |passed, failed| Some(Counts { passed, failed, skipped: 0 });
        assert_eq!(
            counts("acl on 7.0: 150 sequences of seed 1, 0 differences (1 s, 2 run again)"),
            counted(1, 0)
        );
        assert_eq!(
            counts("acl on 7.0: 150 sequences of seed 1, 3 differences (1 s, 4 run again)"),
            counted(0, 3)
        );
        assert_eq!(counts("acl: sequence 5 of seed 1 differs on 7.0, protocol 2"), None);
    }
}
