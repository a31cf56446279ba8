//! What the stories say of the orders in which things can happen is counted.

use playground_core::timeline::explore::{Explorer, Options, Report};
use playground_core::timeline::parse;

/// Explores every part of an example.
fn explored(text: &str) -> Vec<Report> {
    let (scenario, diagnostics) = parse(text);
    assert_eq!(diagnostics, []);
    let parts = scenario.parts().into_iter().map(|part| {
        let options = Options { part: Some(part), ..Options::default() };
        let version = scenario.setup.versions.choose(None).expect("some version will do");
        let mut explorer = Explorer::new(scenario.clone(), version, &options).expect("it can be run");
        explorer.advance(usize::MAX / 2);
        explorer.report()
    });
    parts.collect()
}

/// All orders, and those in which the key has the value in the end.
fn orders(report: &Report, key: &str, value: &str) -> (u128, u128) {
    let has_it = |outcome: &&playground_core::timeline::explore::Outcome| {
        outcome.ending.keys.iter().any(|ending| ending.key == key && ending.value == value)
    };
    let number = |count: &playground_core::timeline::explore::Count| count.to_u128().expect("a small number");
    let with_it = report.outcomes.iter().filter(has_it).map(|outcome| number(&outcome.count));
    (number(&report.schedules), with_it.sum())
}

#[test]
fn four_of_six_orders_pass_the_limit_or_lose_an_update_and_none_with_a_script() {
    let parts = explored(include_str!("../../examples/06-get-then-incr.md"));
    let [visitors, likes, door, gate] = parts.as_slice() else { panic!("{} parts", parts.len()) };
    assert_eq!(orders(visitors, "visitors", "\"11\""), (6, 4));
    assert_eq!(orders(likes, "likes", "\"1\""), (6, 4));
    assert_eq!(orders(door, "door", "\"10\""), (2, 2));
    assert!(door.checks.len() == 2 && door.checks.iter().all(|check| check.failing.is_zero()));
    assert_eq!(orders(gate, "gate", "\"10\"").0, 3);
}
