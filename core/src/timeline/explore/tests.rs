//! Explored, and counted by brute force: the same numbers.

use std::collections::BTreeMap;

use super::super::{Timeline, parse};
use super::*;
use crate::profile::Version;

#[track_caller]
fn explorer(text: &str, options: &Options) -> Explorer {
    let (scenario, diagnostics) = parse(text);
    assert_eq!(diagnostics, [], "{text}");
    Explorer::new(scenario, Version::default(), options).expect("the configuration is valid")
}

#[track_caller]
fn explored(text: &str, options: &Options) -> (Explorer, Report) {
    let mut explorer = explorer(text, options);
    // In small slices, as the page does it.
    while !explorer.advance(7) {
        assert!(!explorer.report().done);
    }
    let report = explorer.report();
    assert!(report.done);
    (explorer, report)
}

/// Every order one by one, nothing shared and nothing recognized.
fn brute_force(plan: &Plan, world: &World, endings: &mut BTreeMap<String, u128>) {
    let enabled = world.enabled(plan);
    if enabled.is_empty() {
        let ending = Ending::of(world, plan, world.all_failed(plan));
        *endings.entry(shown(&ending)).or_default() += 1;
    }
    for actor in enabled {
        let mut next = world.clone();
        next.go(plan, actor, &mut |_| ());
        next.failed |= next.failing(plan);
        brute_force(plan, &next, endings);
    }
}

fn shown(ending: &Ending) -> String {
    format!("{ending:?}")
}

/// Explores, compares with brute force, and runs every witness as a story of its own. Gives the number of orders, and of
/// those in which a check fails.
#[track_caller]
fn check(text: &str, orders: u128, failing: u128) -> Report {
    let (explorer, report) = explored(text, &Options::default());
    let count = |count: &Count| count.to_u128().expect("small enough for brute force");
    let found: BTreeMap<String, u128> =
        report.outcomes.iter().map(|outcome| (shown(&outcome.ending), count(&outcome.count))).collect();
    let mut endings = BTreeMap::new();
    brute_force(&explorer.plan, &World::new(explorer.tip.clone(), &explorer.plan), &mut endings);
    assert_eq!(found, endings, "{text}");
    let failed = report.outcomes.iter().filter(|outcome| !outcome.ending.failed.is_empty());
    let failed: u128 = failed.map(|outcome| count(&outcome.count)).sum();
    assert_eq!((count(&report.schedules), failed), (orders, failing), "{text}\n{:#?}", report.outcomes);
    for outcome in &report.outcomes {
        witness_ends_alike(&explorer, outcome);
    }
    report
}

#[track_caller]
fn witness_ends_alike(explorer: &Explorer, outcome: &Outcome) {
    let text = explorer.witness(&outcome.schedule);
    let (scenario, diagnostics) = parse(&text);
    assert_eq!(diagnostics, [], "{text}");
    let end = scenario.steps.len();
    let part = Part { steps: end..end, clock_free: false, checks: 0..scenario.checks.len() };
    let plan = Plan::new(scenario.clone(), part, Replies::Last);
    let (tip, _) = Tip::new(&scenario, Version::default()).expect("as before");
    let world = World::new(tip, &plan);
    let ending = Ending::of(&world, &plan, world.all_failed(&plan));
    let brief = |ending: &Ending| {
        let clients = ending.clients.iter().map(|client| (client.reply.clone(), client.waits));
        (ending.keys.clone(), clients.collect::<Vec<_>>())
    };
    assert_eq!(brief(&ending), brief(&outcome.ending), "{text}");
    let comparison = Timeline::run(scenario, Version::default()).expect("as before").compare();
    // What differs are the checks that fail, and nothing else.
    assert_eq!(
        comparison.differences.len(),
        outcome.ending.failed.len(),
        "{text}\n{:#?}",
        comparison.differences
    );
}

/// Each client reads a number and writes what it makes of it.
fn get_and_set(clients: &str) -> String {
    let steps = |client: char| format!("{client}> GET n\n@ {client}: keep n\n{client}> SET n $n+1\n");
    let steps: String = clients.chars().map(steps).collect();
    format!("A> SET n 0\n@ explore\n{steps}@ finally GET n\n\"{}\"\n", clients.len())
}

/// The same under WATCH, tried once.
fn with_watch(clients: &str) -> String {
    let steps = |client: char| {
        format!(
            "{client}> WATCH n\n{client}> GET n\n@ {client}: keep n\n{client}> MULTI\n{client}> SET n $n+1\n{client}> EXEC\n"
        )
    };
    let steps: String = clients.chars().map(steps).collect();
    format!("A> SET n 0\n@ explore\n{steps}")
}

#[test]
fn a_lost_update_is_found_and_counted() {
    check(&get_and_set("AB"), 6, 4);
    check(&get_and_set("ABC"), 90, 84);
    let increments = "A> INCR n\nB> INCR n\nC> INCR n\n@ finally GET n\n\"3\"\n";
    check(increments, 6, 0);
}

#[test]
fn a_limit_that_is_looked_at_first_is_passed() {
    let steps = |client: char| format!("{client}> GET n\n@ {client}: if reply < 10\n{client}> INCR n\n");
    let text = |clients: &str| {
        let steps: String = clients.chars().map(steps).collect();
        format!("A> SET n 9\n@ explore\n{steps}@ finally GET n\n\"10\"\n@ always ECHO x\n\"x\"\n")
    };
    // Whoever comes late finds 10 and stops there: that is one step less, so only orders that fail have all steps.
    let report = check(&text("AB"), 6, 4);
    assert_eq!(report.outcomes.len(), 4);
    check(&text("ABC"), 66, 60);
    let script = "```lua take\nif tonumber(redis.call('GET', KEYS[1])) < 10 then return redis.call('INCR', KEYS[1]) end\nreturn 0\n```\n";
    let safe = format!(
        "{script}```redis\nA> SET n 9\n@ explore\nA> EVAL $take 1 n\nB> EVAL $take 1 n\nC> EVAL $take 1 n\n@ finally GET n\n\"10\"\n```\n"
    );
    check(&safe, 6, 0);
}

#[test]
fn under_watch_no_update_is_lost() {
    let report = check(&with_watch("AB"), 252, 0);
    for outcome in &report.outcomes {
        let done =
            outcome.ending.clients.iter().filter(|client| {
                client.reply != Some(super::super::Seen::Reply(crate::resp::Reply::NilArray))
            });
        assert_eq!(outcome.ending.keys[0].value, format!("\"{}\"", done.count()), "as many as were told so");
    }
    // Tried again until it is done, all are counted.
    let steps = |client: char| {
        format!(
            "@ {client}: repeat, at most 3 times\n{client}> WATCH n\n{client}> GET n\n@ {client}: keep n\n{client}> MULTI\n{client}> SET n $n+1\n{client}> EXEC\n@ {client}: until reply is not nil\n"
        )
    };
    let text = format!("A> SET n 0\n@ explore\n{}{}@ finally GET n\n\"2\"\n", steps('A'), steps('B'));
    let (_, report) = explored(&text, &Options::default());
    assert!(report.checks[0].failing.is_zero());
    // Whoever fails is the last one, and then alone: no order is added.
    assert_eq!(report.schedules.to_string(), "252");
}

#[test]
fn a_lock_is_stolen_when_time_passes() {
    let story = "A> SET lock A NX PX 300\nA> GET lock\n@ +400ms\nB> SET lock B NX PX 30000\n@ B: stop unless reply is OK\nA> DEL lock\nB> GET lock\n@ finally GET lock\n\"B\"\n";
    // Pinned: A's lock has run out before B comes, and A deletes B's, before or after B looks; or earlier, and nobody is hurt.
    check(story, 3, 2);
    // Free: B may also come too early.
    check(&format!("@ explore clock free\n{story}"), 44, 38);
}

#[test]
fn who_waits_has_no_next_step() {
    // A's second step needs B's first.
    let report =
        check("A> BLPOP q 0\nA> SET done A\nB> RPUSH q x\nB> SET done B\n@ finally GET done\n\"B\"\n", 5, 3);
    assert!(report.outcomes.iter().all(|outcome| outcome.ending.clients.iter().all(|client| !client.waits)));
    // Nobody ever pushes: A waits for ever, and its last step is not done.
    let report = check("A> BLPOP q 0\nA> PING\nB> PING\n", 2, 0);
    let [outcome] = report.outcomes.as_slice() else { panic!("one outcome") };
    assert_eq!((outcome.ending.clients[0].waits, outcome.ending.clients[0].undone), (true, 1));
    // Where only time can help, it passes.
    let report = check("A> BLPOP q 1\nA> PING\nB> PING\n", 2, 0);
    assert!(report.outcomes.iter().all(|outcome| outcome.ending.clients[0].undone == 0));
}

#[test]
fn a_pipeline_is_sent_before_anything_is_read() {
    // Unread, the replies hold nobody up: B can come at any place.
    check("A>> INCR n\nA>> INCR n\nA> INCR n\nB> SET n 10\n", 4, 0);
    check("A>> BLPOP q 0\nA> SET k A\nB> RPUSH q x\n", 3, 0);
}

#[test]
fn a_busy_server_can_be_explored() {
    let text = "@ config busy-reply-threshold 200\nA> EVAL 'while true do end' 0\nA> PING\n@ +300ms\nB> SCRIPT KILL\n@ +1ms\nC> GET k\n";
    check(text, 2, 0);
}

#[test]
fn checks_that_always_hold_are_told_from_those_that_do_not() {
    let text = "A> SET k 1\nA> DEL k\nB> SET k 2\n@ always EXISTS k\n(integer) 1\n";
    // Also right after A's DEL, before B sets it again.
    check(text, 3, 3);
    let (_, report) = explored(
        "A> SET k 1\n@ explore\nA> DEL k\nB> SET k 2\n@ always EXISTS k\n(integer) 1\n",
        &Options::default(),
    );
    assert_eq!((report.checks[0].check, report.checks[0].failing.to_u128()), (0, Some(2)));
}

#[test]
fn all_replies_tell_more_outcomes_apart() {
    let text = get_and_set("ABC");
    let with = |replies| explored(&text, &Options { replies, ..Options::default() }).1;
    let [none, last, all] = [Replies::None, Replies::Last, Replies::All].map(with);
    assert_eq!([&none, &last].map(|report| report.outcomes.len()), [3, 3]);
    assert!(all.outcomes.len() > 3);
    assert_eq!([&none, &last, &all].map(|report| report.schedules.to_string()), ["90", "90", "90"]);
}

#[test]
fn a_bound_is_named() {
    let (_, report) = explored(&get_and_set("ABC"), &Options { states_max: 20, ..Options::default() });
    assert_eq!((report.bound, report.states), (Some(20), 20));
}

#[test]
fn samples_are_drawn_from_their_seed() {
    let text = get_and_set("ABC");
    let draw = |method| {
        let (explorer, report) = explored(&text, &Options { method, ..Options::default() });
        report.outcomes.iter().for_each(|outcome| witness_ends_alike(&explorer, outcome));
        let counts: Vec<String> = report.outcomes.iter().map(|outcome| outcome.count.to_string()).collect();
        assert_eq!(report.schedules.to_u128(), Some(200));
        (report.outcomes.len(), counts)
    };
    let (seed, runs) = (7, 200);
    assert_eq!(draw(Method::Sample { runs, seed }), draw(Method::Sample { runs, seed }));
    assert_ne!(draw(Method::Sample { runs, seed }).1, draw(Method::Sample { runs, seed: 8 }).1);
    assert_eq!(draw(Method::Sample { runs, seed }).0, 3, "every outcome is met");
    assert!(draw(Method::Priorities { runs, seed }).0 > 1);
}

#[test]
fn many_orders_are_few_states() {
    // 7,484,400 orders of six clients, of which 720 lose nothing.
    let mut explorer = explorer(&get_and_set("ABCDEF"), &Options::default());
    explorer.advance(usize::MAX / 2);
    let report = explorer.report();
    assert_eq!(report.schedules.to_u128(), Some(7_484_400));
    assert_eq!(report.checks[0].failing.to_u128(), Some(7_484_400 - 720));
    assert!(report.states < 50_000, "{}", report.states);
    // Three clients of four steps.
    let steps = |client: char| {
        format!(
            "{client}> GET n\n@ {client}: keep n\n{client}> INCR m\n{client}> SET n $n+1\n{client}> GET m\n"
        )
    };
    let text: String = "ABC".chars().map(steps).collect();
    assert_eq!(explored(&text, &Options::default()).1.schedules.to_u128(), Some(34_650));
}

#[test]
fn each_part_of_a_story_is_explored_by_itself() {
    let text = "```redis\nA> SET n 0\n@ explore\nA> INCR n\nB> INCR n\n@ finally GET n\n\"2\"\n```\n```redis\nA> SET m 0\n@ explore\nA> INCR m\n@ explore clock free\nA> INCR m\n@ +1s\n@ finally GET m\n\"2\"\n```\n";
    let (scenario, _) = parse(text);
    let parts: Vec<_> =
        scenario.parts().into_iter().map(|part| (part.steps, part.clock_free, part.checks)).collect();
    assert_eq!(parts, [(1..3, false, 0..1), (4..5, false, 1..2), (5..7, true, 1..2)]);
    let places = [0, 3, 4, 5, 6, 99].map(|position| scenario.part_at(position).0);
    assert_eq!(places, [0, 0, 1, 1, 2, 2]);
    let orders = scenario.parts().into_iter().map(|part| {
        let options = Options { part: Some(part), ..Options::default() };
        explored(text, &options).1.schedules.to_string()
    });
    assert_eq!(orders.collect::<Vec<_>>(), ["2", "1", "2"]);
    // The others' checks are not asked, and the steps behind are not done.
    check(text, 2, 0);
}

/// The tests above hold the engine to its promise of atomicity. They would notice: with an engine in which a change of a
/// watched key goes unnoticed (`fault.rs`), exploring finds orders in which an update is lost.
#[test]
fn an_engine_that_breaks_atomicity_is_noticed() {
    let text = format!("{}@ finally GET n\n\"2\"\n", with_watch("AB"));
    // Tried once, an order fails its check only where somebody was refused, and is told so.
    let lost = |report: &Report| {
        let lost = report.outcomes.iter().filter(|outcome| {
            let refused = crate::resp::Reply::NilArray;
            let told_so = outcome
                .ending
                .clients
                .iter()
                .any(|client| client.reply == Some(super::super::Seen::Reply(refused.clone())));
            !outcome.ending.failed.is_empty() && !told_so
        });
        lost.filter_map(|outcome| outcome.count.to_u128()).sum::<u128>()
    };
    assert_eq!(lost(&explored(&text, &Options::default()).1), 0);
    let broken =
        crate::fault::with(crate::fault::Fault::WatchIsBlind, || explored(&text, &Options::default()).1);
    assert!(lost(&broken) > 0, "{:#?}", broken.outcomes);
}
