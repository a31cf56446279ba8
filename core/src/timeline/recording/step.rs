//! Moving through a recording. All moves give a position; where there is none to go to, the end of the run or, backwards,
//! its begin.

use std::ops::Range;

use crate::script::{Breakpoint, Job, Point, PointKind};

use super::{POINTS_MAX, Recording};

impl Recording {
    /// The next point of any kind: into calls, and call by call within a line.
    pub fn step_in(&mut self, position: usize) -> usize {
        self.forward(position, |_| true)
    }

    /// The next line of this function, or of one that called it.
    pub fn step_over(&mut self, position: usize) -> usize {
        let depth = self.depth(position);
        self.forward(position, |point| point.kind == PointKind::Line && point.depth <= depth)
    }

    /// The next line of a function that called this one.
    pub fn step_out(&mut self, position: usize) -> usize {
        let depth = self.depth(position);
        self.forward(position, |point| point.kind == PointKind::Line && point.depth < depth)
    }

    /// Behind the next call of the server.
    pub fn next_call(&mut self, position: usize) -> usize {
        self.forward(position, |point| point.kind == PointKind::Call)
    }

    /// The point before, of any kind.
    pub fn back(&mut self, position: usize) -> usize {
        self.backward(position, |_| true)
    }

    /// The line before in this function, or in one that called it.
    pub fn back_over(&mut self, position: usize) -> usize {
        let depth = self.depth(position);
        self.backward(position, |point| point.kind == PointKind::Line && point.depth <= depth)
    }

    /// The line before in a function that called this one: where it was called.
    pub fn back_out(&mut self, position: usize) -> usize {
        let depth = self.depth(position);
        self.backward(position, |point| point.kind == PointKind::Line && point.depth < depth)
    }

    /// Behind the call of the server before.
    pub fn previous_call(&mut self, position: usize) -> usize {
        self.backward(position, |point| point.kind == PointKind::Call)
    }

    /// The next point where a breakpoint holds.
    pub fn run_to(&mut self, position: usize, breakpoints: &[Breakpoint]) -> usize {
        if breakpoints.iter().all(|breakpoint| breakpoint.condition.is_none()) {
            return self.forward(position, |point| is_at(point, breakpoints));
        }
        match self.find(position + 1..POINTS_MAX, breakpoints, false) {
            Some(found) => found,
            None => self.forward(position, |_| false),
        }
    }

    /// The last point before this one where a breakpoint holds.
    pub fn run_back_to(&mut self, position: usize, breakpoints: &[Breakpoint]) -> usize {
        if breakpoints.iter().all(|breakpoint| breakpoint.condition.is_none()) {
            return self.backward(position, |point| is_at(point, breakpoints));
        }
        self.find(0..position, breakpoints, true).unwrap_or(0)
    }

    fn find(&self, range: Range<usize>, breakpoints: &[Breakpoint], last: bool) -> Option<usize> {
        if range.is_empty() {
            return None;
        }
        let start = range.start;
        let job = Job::Find { range, breakpoints: breakpoints.to_vec(), last, found: None };
        let from = self.milestone(start);
        let Job::Find { found, .. } = self.run.trace(job, from).tracer.job else { return None };
        found
    }

    fn forward(&mut self, position: usize, is_wanted: impl Fn(&Point) -> bool) -> usize {
        let mut next = position + 1;
        while let Some(point) = self.point(next) {
            if is_wanted(&point) {
                return next;
            }
            next += 1;
        }
        self.points.len()
    }

    fn backward(&mut self, position: usize, is_wanted: impl Fn(&Point) -> bool) -> usize {
        let before = &self.points[..position.min(self.points.len())];
        before.iter().rposition(is_wanted).unwrap_or(0)
    }

    /// Of the function that a position is in: for a call of the server, of the one that calls.
    fn depth(&mut self, position: usize) -> u32 {
        match self.point(position) {
            Some(Point { kind: PointKind::Call, depth, .. }) => depth.saturating_sub(1),
            Some(point) => point.depth,
            // From the end, every line is further in.
            None => u32::MAX,
        }
    }
}

fn is_at(point: &Point, breakpoints: &[Breakpoint]) -> bool {
    let is_line = point.kind == PointKind::Line && point.in_script;
    is_line && breakpoints.iter().any(|breakpoint| breakpoint.line == point.line)
}
