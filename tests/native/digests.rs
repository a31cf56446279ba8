//! Where the examples end, natively; `wasm/digests.rs` is the same in a browser.

#[path = "../shared/example.rs"]
mod example;

macro_rules! example {
    ($test:ident, $name:literal, $text:expr) => {
        #[test]
        fn $test() {
            println!("{}", example::check($name, $text));
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/examples.rs"));
