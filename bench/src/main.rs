//! The native side of `cargo xtask bench`: times the work and prints seconds as JSON.
//!
//! Takes the number of locks, of runs, and scripts as arguments; `xtask/js/bench.mjs` gives both sides the same.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]
#![allow(clippy::disallowed_types, reason = "the ban is for the core; this program holds the watch")]

use std::time::Instant;

use playground_bench::{Bench, Telling};

fn main() {
    let mut words = std::env::args().skip(1);
    let mut number =
        || words.next().and_then(|word| word.parse::<u32>().ok()).expect("two numbers come first");
    let (locks, runs) = (number(), number());
    let mut bench = Bench::new();
    let evalsha = best(runs, || {
        bench.take_locks(locks);
        let began = Instant::now();
        assert_eq!(bench.free_locks(), locks, "every lock was still held");
        began.elapsed().as_secs_f64()
    });
    // They are free now: the script finds nothing to delete.
    let refused = best(runs, || {
        let began = Instant::now();
        assert_eq!(bench.free_locks(), 0, "no lock is held any more");
        began.elapsed().as_secs_f64()
    });
    let scripts = words.map(|script| {
        let seconds = best(runs, || {
            let began = Instant::now();
            bench.run_script(&script);
            began.elapsed().as_secs_f64()
        });
        seconds.to_string()
    });
    let scripts = scripts.collect::<Vec<_>>().join(",");
    println!(
        r#"{{"evalsha":{evalsha},"refused":{refused},"scripts":[{scripts}],"telling":{}}}"#,
        time_telling()
    );
}

/// As `timeTelling` of `xtask/js/bench.mjs`, which says what the figures are.
fn time_telling() -> String {
    const STEPS: u32 = 10_000;
    let seconds = |work: &mut dyn FnMut()| {
        let began = Instant::now();
        work();
        began.elapsed().as_secs_f64()
    };
    let mut telling = Telling::new();
    let run = seconds(&mut || telling.tell(STEPS, u32::MAX));
    let jump = late((0..300).map(|n| seconds(&mut || telling.jump(n * 7_919 % STEPS))).collect());
    let there = (0..400).map(|n| n * 25);
    let scrub = late(there.clone().chain(there.rev()).map(|at| seconds(&mut || telling.jump(at))).collect());
    let edit = seconds(&mut || telling.tell(STEPS, STEPS / 2));
    telling.tell_script();
    let open = seconds(&mut || telling.record());
    let mut steps = Vec::new();
    for start in [500, 50_000, 90_000] {
        telling.go(start);
        let backs = (0..600).map(|n| n >= 300);
        steps.extend(backs.map(|back| seconds(&mut || telling.step(back))));
    }
    let step = late(steps);
    format!(r#"{{"run":{run},"jump":{jump},"scrub":{scrub},"edit":{edit},"open":{open},"step":{step}}}"#)
}

/// The 95th percentile.
fn late(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() * 95 / 100]
}

/// The shortest of many runs.
fn best(runs: u32, mut run: impl FnMut() -> f64) -> f64 {
    (0..runs).map(|_| run()).fold(f64::INFINITY, f64::min)
}
