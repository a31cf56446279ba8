//! The recording of a script's run: stepped through in both directions, as if Lua could be parked anywhere.
//!
//! It holds an index of the points of the run (lines and calls) and, around the point that was looked at last, a window of
//! frames. All else is found by making the run again from its start, at full speed up to the milestone before. Positions count points from 0; the position behind the
//! last point is the end of the run.
//!
//! Invariant: a recording changes neither the timeline nor the run; what it shows at a position is the same every time.

mod step;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::rc::Rc;

use crate::Bytes;
use crate::clock::Micros;
use crate::lua::LuaValue;
use crate::resp::Reply;
use crate::script::{Frame, Job, Milestone, Point, RunEnd, Stop};
use crate::server::{ScriptRun, Traced};
use crate::state::State;

/// Points that are listed when a recording is opened: more are found when they are asked for.
const POINTS_FIRST: usize = 120_000;
/// Points that are listed at most, 24 bytes each.
const POINTS_MAX: usize = 1_000_000;
/// Frames that are kept on either side of the one that was asked for.
const WINDOW: usize = 100;
/// What a script must name to have coroutines.
const COROUTINE: &[u8] = b"coroutine";

/// A run that can be looked into.
pub struct Recording {
    run: ScriptRun,
    points: Vec<Point>,
    /// In order. None in a run that has coroutines.
    milestones: Vec<Milestone>,
    can_join: bool,
    /// Known as soon as all points are.
    end: Option<End>,
    window: Range<usize>,
    frames: Vec<Rc<Frame>>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct End {
    pub how: Ending,
    /// All points are listed. Otherwise there were too many: the last ones are missing.
    pub is_listed: bool,
    /// The point at which a KILL was first raised. The script may have caught it.
    pub killed_at: Option<usize>,
    /// None where nothing was answered.
    pub reply: Option<Reply>,
    /// What the script returned or raised.
    pub value: Option<LuaValue>,
    pub instructions: u64,
    /// The server behind the run.
    pub state: Rc<State>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Returned,
    Failed,
    /// By SCRIPT KILL or FUNCTION KILL.
    Killed,
    /// It raised what ends the server's process before 8.0.
    Crashed,
    /// It was still under way at the end of the timeline.
    Running,
}

impl Recording {
    pub fn open(run: ScriptRun) -> Self {
        Self::open_in_part(run, POINTS_FIRST)
    }

    fn open_in_part(run: ScriptRun, points_first: usize) -> Self {
        // A coroutine from before a milestone would not be looked at behind it.
        let can_join = !run.source().as_slice().windows(COROUTINE.len()).any(|word| word == COROUTINE);
        let (points, milestones, frames) = (Vec::new(), Vec::new(), Vec::new());
        let mut recording = Self { run, points, milestones, can_join, end: None, window: 0..0, frames };
        recording.list(points_first);
        recording
    }

    pub fn run(&self) -> &ScriptRun {
        &self.run
    }

    /// The points that are known so far.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// How the run ended, if the index reaches so far.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Goes as far as points are listed at all, and tells how the run ends.
    pub fn find_end(&mut self) -> &End {
        while self.end.is_none() {
            self.list_more();
        }
        self.end.as_ref().expect("the loop has ended")
    }

    /// The point at a position; None at the end of the run.
    pub fn point(&mut self, position: usize) -> Option<Point> {
        while self.end.is_none() && self.points.len() <= position {
            self.list_more();
        }
        self.points.get(position).copied()
    }

    /// What can be seen at a position; None at the end of the run.
    pub fn at(&mut self, position: usize) -> Option<Rc<Frame>> {
        self.point(position)?;
        if !self.window.contains(&position) {
            let range = position.saturating_sub(WINDOW)..self.points.len().min(position + WINDOW);
            let job = Job::Show { range: range.clone(), frames: Vec::new() };
            let traced = self.run.trace(job, self.milestone(range.start));
            let Job::Show { frames, .. } = traced.tracer.job else { return None };
            self.frames = frames.into_iter().map(Rc::new).collect();
            self.window = range;
        }
        self.frames.get(position - self.window.start).cloned()
    }

    /// The virtual time at a position.
    pub fn time_at(&mut self, position: usize) -> Micros {
        let instructions = match self.point(position) {
            Some(point) => point.instructions,
            None => self.end.as_ref().map_or(0, |end| end.instructions),
        };
        self.run.time_at(instructions)
    }

    /// Evaluates expressions at a point, in the function `level` levels out of the innermost one, or in the next Lua function
    /// behind it. They may call the server: it is a copy that is thrown away. Nothing at the end of the run.
    pub fn evaluate(
        &mut self,
        position: usize,
        level: usize,
        expressions: Vec<Bytes>,
    ) -> Vec<Result<LuaValue, String>> {
        if self.point(position).is_none() {
            return Vec::new();
        }
        // Each in a run of its own, so that none sees what another did.
        let evaluate = |text: Bytes| {
            let job = Job::Evaluate { at: position, level, expressions: vec![text], values: Vec::new() };
            let from = self.milestone(position);
            let Job::Evaluate { mut values, .. } = self.run.trace(job, from).tracer.job else { return None };
            values.pop()
        };
        expressions.into_iter().filter_map(evaluate).collect()
    }

    fn list_more(&mut self) {
        self.list((2 * self.points.len()).min(POINTS_MAX));
    }

    /// The last milestone from which on a position can be seen.
    fn milestone(&self, position: usize) -> Option<Milestone> {
        let count = self.milestones.partition_point(|milestone| milestone.seen() <= position);
        Some(self.milestones[count.checked_sub(1)?])
    }

    /// Goes on with the index, up to so many points.
    fn list(&mut self, limit: usize) {
        let from = self.milestones.last().copied();
        let known = from.map_or(0, |from| from.seen());
        let Traced { tracer, end, state } =
            self.run.trace(Job::List { points: Vec::new(), limit: limit - known }, from);
        if !tracer.is_alone() && self.can_join {
            self.can_join = false;
            self.milestones.clear();
            return self.list(limit);
        }
        let (result, killed_at) = (tracer.result, tracer.killed_at);
        let Job::List { points, .. } = tracer.job else { return };
        self.points.truncate(known);
        self.points.extend(points);
        if self.can_join {
            self.milestones.extend(tracer.milestones);
        }
        match end {
            RunEnd::Stopped { why: Stop::Seen, .. } if limit < POINTS_MAX => {}
            RunEnd::Stopped { why: Stop::Seen, .. } => {
                let Traced { tracer, end, state } = self.run.trace(Job::End, None);
                let killed_at = tracer.killed_at.map(|_| self.points.len());
                self.end = Some(self.ended(end, killed_at, tracer.result, state, false));
            }
            end => self.end = Some(self.ended(end, killed_at, result, state, true)),
        }
    }

    fn ended(
        &self,
        end: RunEnd,
        killed_at: Option<usize>,
        value: Option<LuaValue>,
        state: State,
        is_listed: bool,
    ) -> End {
        let (how, reply, instructions) = match end {
            RunEnd::Stopped { instructions, .. } => (Ending::Running, None, instructions),
            RunEnd::Crashed => (Ending::Crashed, None, 0),
            RunEnd::Finished { reply, instructions, .. } => {
                let how = match killed_at {
                    Some(_) if reply.is_error() => Ending::Killed,
                    _ if reply.is_error() => Ending::Failed,
                    _ => Ending::Returned,
                };
                (how, Some(reply), instructions)
            }
        };
        // The server's clock knows whole steps of the hook only; here time does not run backwards.
        let reached = self.points.last().map_or(0, |point| point.instructions);
        let instructions = instructions.max(reached);
        End { how, is_listed, killed_at, reply, value, instructions, state: Rc::new(state) }
    }
}
