//! Real Lua 5.1 behind Redis's scripting API. The only part of the core that talks to Lua.
//!
//! A script is a pure function of the state at its start and of its instruction budget; Lua 5.1 can't be parked
//! in the middle, so whoever wants to see the middle runs it again.
#![allow(
    clippy::useless_conversion,
    reason = "lua_Integer is as wide as a pointer: what converts to it on 64 bits is it already on 32"
)]

mod api;
mod convert;
mod describe;
mod engine;
mod functions;
mod lib;
mod raise;
mod reach;
mod run;
mod sandbox;
mod trace;

pub use engine::{Engine, Program, body_of};
pub use functions::Registration;
pub use lib::LibState;
pub use run::{AclCheckError, Budget, Caller, ErrorSent, RunEnd, Stop};
pub use trace::{Breakpoint, Call, Frame, Job, Level, LevelKind, Milestone, Pair, Point, PointKind, Tracer};
