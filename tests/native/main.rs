//! The playground from outside, natively.

mod examples;
