//! The native side of `cargo xtask bench`: times the work and prints seconds as JSON.
//!
//! Takes the number of locks, of runs, and scripts as arguments; `xtask/js/bench.mjs` gives both sides the same.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]
#![allow(clippy::disallowed_types, reason = "the ban is for the core; this program holds the watch")]

use std::time::Instant;

use playground_bench::Bench;

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
    let scripts = words.map(|script| {
        let seconds = best(runs, || {
            let began = Instant::now();
            bench.run_script(&script);
            began.elapsed().as_secs_f64()
        });
        seconds.to_string()
    });
    println!(r#"{{"evalsha":{evalsha},"scripts":[{}]}}"#, scripts.collect::<Vec<_>>().join(","));
}

/// The shortest of many runs.
fn best(runs: u32, mut run: impl FnMut() -> f64) -> f64 {
    (0..runs).map(|_| run()).fold(f64::INFINITY, f64::min)
}
