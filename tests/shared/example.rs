//! An example, run on the engine. The same code is a native test and one in a browser.

use playground_core::timeline::{Timeline, parse};

/// All replies are as expected, and the log of inputs leads to the same state again, from the start and from the
/// middle. Answers a line that tells the digest of that state: natively and in a browser it must be the same, which
/// `cargo xtask test` sees to.
pub(crate) fn check(name: &str, text: &str) -> String {
    let (scenario, mistakes) = parse(text);
    assert!(mistakes.is_empty(), "{name}: {mistakes:?}");
    let version =
        scenario.setup.versions.choose(None).expect("an example is about a version that is offered");
    let timeline = Timeline::run(scenario, version).expect("an example's parameters exist");
    let comparison = timeline.compare();
    assert!(comparison.differences.is_empty(), "{name}: {:?}", comparison.differences);

    let last = timeline.records().len() - 1;
    let live = timeline.at(last).digest();
    let replayed = timeline.replay().expect("what was set up once can be set up again").digest();
    assert_eq!(hex(replayed), hex(live), "{name}: the log of inputs leads elsewhere");

    let (scenario, _) = parse(text);
    let mut back = Timeline::run(scenario, version).expect("it was run a moment ago");
    back.truncate(last / 2);
    while back.advance().is_some() {}
    assert_eq!(hex(back.at(last).digest()), hex(live), "{name}: going back and on again leads elsewhere");
    format!("digest {name} {}", hex(live))
}

fn hex(digest: [u8; 20]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
