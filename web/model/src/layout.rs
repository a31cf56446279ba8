//! Where things lie on the timeline: virtual moments to places on an axis, in pixels.
//!
//! A true scale would show a story as two blots: commands take microseconds, waits take seconds. So the axis is
//! bent: time never runs backwards on it and equal moments share a place, but a long span is drawn longer than a
//! short one by its logarithm only, and whatever has to be read gets the room for it.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use crate::span;
use crate::step::{Lease, LeaseEnd, Step};
use crate::story::{Action, Line};

/// Everything on the axis; places and lengths in pixels from its begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    pub length: f64,
    /// One for each step that was run.
    pub chips: Vec<Chip>,
    /// From sent to answered, of steps that had to wait.
    pub waits: Vec<Wait>,
    /// What the server was busy with, one thing after the other.
    pub work: Vec<Work>,
    /// A lane for each key that has had an expiry, in the order in which they first got one.
    pub leases: Vec<LeaseLane>,
    pub ticks: Vec<Tick>,
    /// What everybody feels: the server restarts, or somebody ends its script. Steps with their places, rising.
    pub events: Vec<(usize, f64)>,
    /// Where position n is, from 0 to the number of steps.
    pub positions: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Chip {
    /// The client that acts; None for what happens to the server or the clock.
    pub client: Option<usize>,
    pub at: f64,
    pub length: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Wait {
    pub step: usize,
    pub client: usize,
    pub from: f64,
    pub to: f64,
    /// Never answered in this story.
    pub open: bool,
    /// The client whose step kept it from starting.
    pub held_by: Option<usize>,
    /// The client whose step let it go on; None where time did, or nobody has.
    pub freed_by: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    pub step: usize,
    pub client: usize,
    pub from: f64,
    pub to: f64,
    pub is_script: bool,
    /// From here on others are answered BUSY.
    pub busy_from: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LeaseLane {
    pub db: usize,
    pub key: String,
    pub bars: Vec<LeaseBar>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LeaseBar {
    pub lease: usize,
    pub from: f64,
    pub to: f64,
    /// None: it lasts beyond the end of the story.
    pub end: Option<LeaseEnd>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub at: f64,
    pub text: String,
}

/// Before the first moment and behind the last one.
const MARGIN: f64 = 16.0;
/// Between chips of one lane.
const CHIP_GAP: f64 = 6.0;
/// From one step to the next at least, on whichever lanes they are.
const STAGGER: f64 = 26.0;
/// What a wait shows beyond its chip at least.
const WAIT_MIN: f64 = 22.0;
/// The zone in which others are answered BUSY, at least.
const BUSY_MIN: f64 = 36.0;
const WORK_MIN: f64 = 5.0;
const TICK_GAP: f64 = 60.0;

/// How long a span is drawn that nothing else stretches.
fn stretch(span_us: u64) -> f64 {
    7.0 * (1.0 + span_us as f64).log10()
}

/// `steps` may be fewer than `lines`: the story is still being run. `zoom` stretches everything that is no text; 1 is
/// the natural size. `measure` tells how long the chip of a step is.
pub fn lay_out(
    lines: &[Line],
    steps: &[impl Borrow<Step>],
    leases: &[Lease],
    zoom: f64,
    measure: impl Fn(usize) -> f64,
) -> Layout {
    let count = steps.len().min(lines.len());
    let steps: Vec<&Step> = steps[..count].iter().map(Borrow::borrow).collect();
    let moments = moments(&lines[..count], &steps, leases);
    let mut sweep = Sweep::new(&lines[..count], steps, zoom);
    sweep.run(moments, measure);
    sweep.finish(leases)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    /// Something that only needs its place.
    Passing,
    Answered(usize),
    Busy(usize),
    Finished(usize),
    ClockMoved(usize),
    Begins(usize),
}

/// When the step begins; a move of the clock begins where the step before it has left the clock.
fn begin_us(lines: &[Line], steps: &[&Step], step: usize) -> u64 {
    match (&lines[step].action, step.checked_sub(1)) {
        (Action::Clock { .. }, Some(before)) => steps[before].clock_us,
        (Action::Clock { .. }, None) => 0,
        _ => steps[step].sent_us,
    }
}

fn moments(lines: &[Line], steps: &[&Step], leases: &[Lease]) -> Vec<(u64, Moment)> {
    let mut moments = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        moments.push((begin_us(lines, steps, index), Moment::Begins(index)));
        if let Action::Clock { .. } = lines[index].action {
            moments.push((step.clock_us, Moment::ClockMoved(index)));
        }
        if step.wait.is_some()
            && let Some(ended) = step.ended_us
        {
            moments.push((ended, Moment::Answered(index)));
        }
        if let Some(script) = &step.script {
            moments.extend(script.busy_us.map(|at| (at, Moment::Busy(index))));
            moments.extend(script.ended_us.map(|at| (at, Moment::Finished(index))));
        }
    }
    for lease in leases {
        moments.push((lease.from_us, Moment::Passing));
        moments.extend(lease.ended.map(|(at, _)| (at, Moment::Passing)));
    }
    moments.sort_unstable();
    moments
}

struct Sweep<'a> {
    lines: &'a [Line],
    steps: Vec<&'a Step>,
    zoom: f64,
    /// Moments and their places, both rising.
    knots: Vec<(u64, f64)>,
    layout: Layout,
}

impl<'a> Sweep<'a> {
    fn new(lines: &'a [Line], steps: Vec<&'a Step>, zoom: f64) -> Self {
        Self { lines, steps, zoom, knots: vec![(0, MARGIN)], layout: Layout::default() }
    }

    /// Gives every moment its place, in the order of time.
    fn run(&mut self, moments: Vec<(u64, Moment)>, measure: impl Fn(usize) -> f64) {
        let mut lane_ends: Vec<f64> = Vec::new();
        let zoom = self.zoom;
        let (mut last_us, mut place) = (0, MARGIN);
        let mut last_begin = f64::NEG_INFINITY;
        for (at_us, moment) in moments {
            place += zoom * stretch(at_us.saturating_sub(last_us));
            last_us = last_us.max(at_us);
            match moment {
                Moment::Passing => {}
                Moment::Begins(step) => {
                    let client = self.lines[step].action.client();
                    let lane = client.map_or(0, |client| client + 1);
                    if lane_ends.len() <= lane {
                        lane_ends.resize(lane + 1, 0.0);
                    }
                    place = place.max(lane_ends[lane]).max(last_begin + zoom * STAGGER);
                    let length = measure(step);
                    lane_ends[lane] = place + length + CHIP_GAP;
                    last_begin = place;
                    self.layout.chips.push(Chip { client, at: place, length });
                }
                Moment::ClockMoved(step) => place = place.max(self.chip_end(step) + CHIP_GAP),
                Moment::Answered(step) => place = place.max(self.chip_end(step) + zoom * WAIT_MIN),
                Moment::Busy(step) => place = place.max(self.chip_at(step) + zoom * BUSY_MIN),
                Moment::Finished(step) => {
                    let busy = self.steps[step].script.as_ref().and_then(|script| script.busy_us);
                    let from =
                        busy.map_or(self.chip_at(step) + WORK_MIN, |at| self.place(at) + zoom * BUSY_MIN);
                    place = place.max(from);
                }
            }
            self.knots.push((at_us, place));
        }
        let end = lane_ends.into_iter().fold(place, f64::max);
        self.layout.length = end + MARGIN;
    }

    fn chip_at(&self, step: usize) -> f64 {
        self.layout.chips.get(step).map_or(MARGIN, |chip| chip.at)
    }

    fn chip_end(&self, step: usize) -> f64 {
        self.layout.chips.get(step).map_or(MARGIN, |chip| chip.at + chip.length)
    }

    /// Where a moment is; between two known ones, in proportion.
    fn place(&self, at_us: u64) -> f64 {
        let after = self.knots.partition_point(|(known, _)| *known <= at_us);
        let (from_us, from) = self.knots[after.saturating_sub(1)];
        let Some((to_us, to)) = self.knots.get(after).copied() else { return from };
        let share = (at_us - from_us) as f64 / (to_us - from_us).max(1) as f64;
        from + (to - from) * share
    }

    fn finish(mut self, leases: &[Lease]) -> Layout {
        let end = self.layout.length - MARGIN;
        for index in 0..self.steps.len() {
            self.add_wait(index, end);
            self.add_work(index, end);
            if shakes_all(&self.lines[index].action, self.steps[index]) {
                self.layout.events.push((index, self.chip_at(index)));
            }
        }
        self.add_leases(leases);
        self.add_ticks();
        let clock_places = (0..self.steps.len()).map(|step| match self.lines[step].action {
            Action::Clock { .. } => self.place(self.steps[step].clock_us),
            _ => self.chip_at(step),
        });
        self.layout.positions = std::iter::once(MARGIN / 2.0).chain(clock_places).collect();
        self.layout
    }

    fn add_wait(&mut self, step: usize, end: f64) {
        let record = self.steps[step];
        let (Some(client), Some(_)) = (self.lines[step].action.client(), &record.wait) else { return };
        let to = record.ended_us.map_or(end, |at| self.place(at));
        let open = record.ended_us.is_none();
        let client_of = |step: usize| self.lines.get(step).and_then(|line| line.action.client());
        let held_by = record.course.held_by.and_then(client_of);
        let freed_by = record.course.woken_by.and_then(client_of).or(held_by).filter(|_| !open);
        self.layout.waits.push(Wait { step, client, from: self.chip_at(step), to, open, held_by, freed_by });
    }

    fn add_work(&mut self, step: usize, end: f64) {
        let record = self.steps[step];
        let (Some(client), Some(started)) = (self.lines[step].action.client(), record.started_us) else {
            return;
        };
        let script = record.script.as_ref();
        // A command that starts as soon as it is sent has its chip's place, which has been made for reading.
        let from = if record.wait.is_some() { self.place(started) } else { self.chip_at(step) };
        let to = match script {
            Some(run) => run.ended_us.map_or(end, |at| self.place(at)),
            None => from + WORK_MIN,
        };
        let busy_from = script.and_then(|run| run.busy_us).map(|at| self.place(at));
        let is_script = script.is_some();
        self.layout.work.push(Work { step, client, from, to: to.max(from + WORK_MIN), is_script, busy_from });
    }

    fn add_leases(&mut self, leases: &[Lease]) {
        for (index, lease) in leases.iter().enumerate() {
            let from = self.place(lease.from_us);
            let to = lease.ended.map_or(self.layout.length, |(at, _)| self.place(at));
            let bar = LeaseBar { lease: index, from, to, end: lease.ended.map(|(_, end)| end) };
            let lanes = &mut self.layout.leases;
            match lanes.iter_mut().find(|lane| lane.db == lease.db && lane.key == lease.key) {
                Some(lane) => lane.bars.push(bar),
                None => {
                    lanes.push(LeaseLane { db: lease.db, key: lease.key.clone(), bars: vec![bar] });
                }
            }
        }
    }

    /// Where the clock was moved the moment is always told, elsewhere as there is room.
    fn add_ticks(&mut self) {
        let mut places: [Vec<(f64, u64)>; 2] = [vec![(MARGIN, 0)], Vec::new()];
        for (index, step) in self.steps.iter().enumerate() {
            match self.lines[index].action {
                Action::Clock { .. } => places[0].push((self.place(step.clock_us), step.clock_us)),
                _ => places[1].push((self.chip_at(index), step.sent_us)),
            }
        }
        // By tenths of a pixel, so that neighbours are found without looking at all.
        let mut ticks: BTreeMap<u64, String> = BTreeMap::new();
        for (at, at_us) in places.into_iter().flatten() {
            let (tenths, gap) = ((at * 10.0) as u64, (TICK_GAP * 10.0) as u64);
            let text = span::short(at_us - at_us % 1_000);
            let before = ticks.range(..=tenths).next_back();
            let after = ticks.range(tenths..).next();
            let fits = |(other, shown): (&u64, &String)| other.abs_diff(tenths) >= gap && *shown != text;
            if before.is_none_or(fits) && after.is_none_or(fits) {
                ticks.insert(tenths, text);
            }
        }
        let tick = |(tenths, text)| Tick { at: tenths as f64 / 10.0, text };
        self.layout.ticks = ticks.into_iter().map(tick).collect();
    }
}

/// Whether a step is felt on every lane.
fn shakes_all(action: &Action, step: &Step) -> bool {
    match action {
        Action::Server { .. } => true,
        Action::Send { command, .. } => {
            let words: Vec<String> = command.split_whitespace().take(2).map(str::to_uppercase).collect();
            let ends = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["SCRIPT" | "FUNCTION", "KILL"] => true,
                ["SHUTDOWN", ..] => return true,
                _ => false,
            };
            ends && step.reply.as_ref().is_some_and(|reply| !reply.kind.is_failure())
        }
        Action::Clock { .. } => false,
    }
}

impl Layout {
    /// The position that someone who points at a place of the axis means.
    pub fn position_at(&self, place: f64) -> usize {
        // A little before a chip is on it.
        const REACH: f64 = 4.0;
        self.positions.iter().rposition(|at| *at <= place + REACH).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::{ScriptRun, Wait as StepWait};

    fn send(client: usize, command: &str) -> Line {
        let action = Action::Send { client, command: command.to_owned(), script: None };
        Line { line: 1, action, remarks: Vec::new(), predict: None }
    }

    fn at(sent_us: u64, ended_us: u64) -> Step {
        let (started_us, ended_us) = (Some(sent_us), Some(ended_us));
        Step { sent_us, started_us, ended_us, clock_us: sent_us + 1, ..Step::default() }
    }

    fn clock(to_us: u64) -> Step {
        Step { sent_us: to_us, clock_us: to_us, ..Step::default() }
    }

    fn moved(text: &str) -> Line {
        Line { line: 1, action: Action::Clock { text: text.to_owned() }, remarks: Vec::new(), predict: None }
    }

    fn lease(from_us: u64, until_us: u64, ended: Option<(u64, LeaseEnd)>) -> Lease {
        Lease { db: 0, key: "lock".to_owned(), from_us, until_us, ended }
    }

    #[test]
    fn chips_of_a_lane_never_overlap_and_time_only_runs_forwards() {
        let lines: Vec<Line> = (0..40).map(|step| send(step % 3, "SET key value")).collect();
        let steps: Vec<Step> = (0..40).map(|step| at(step * 2, step * 2 + 1)).collect();
        let layout = lay_out(&lines, &steps, &[], 1.0, |_| 100.0);
        for client in 0..3 {
            let lane: Vec<&Chip> = layout.chips.iter().filter(|chip| chip.client == Some(client)).collect();
            assert!(lane.windows(2).all(|pair| pair[0].at + pair[0].length <= pair[1].at));
        }
        assert!(layout.positions.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(layout.chips.iter().all(|chip| chip.at + chip.length <= layout.length));
    }

    #[test]
    fn a_lease_ends_inside_the_wait_that_outlasts_it() {
        let lines = [send(0, "SET lock A NX PX 300"), moved("+400ms"), send(1, "GET lock")];
        let steps = [at(0, 1), clock(400_000), at(400_000, 400_001)];
        let leases = [lease(1, 300_001, Some((300_001, LeaseEnd::Expired)))];
        let layout = lay_out(&lines, &steps, &leases, 1.0, |_| 80.0);
        let bar = &layout.leases[0].bars[0];
        assert!(bar.from < bar.to && bar.to < layout.chips[2].at, "{bar:?} {layout:?}");
        assert_eq!(bar.end, Some(LeaseEnd::Expired));
        let ticks: Vec<&str> = layout.ticks.iter().map(|tick| tick.text.as_str()).collect();
        assert_eq!(ticks, ["0 ms", "400 ms"]);
    }

    #[test]
    fn a_wait_shows_beyond_its_chip_and_an_unanswered_one_lasts_to_the_end() {
        let mut first = at(0, 9);
        first.wait = Some(StepWait::Blocked);
        let mut second = Step { sent_us: 2, clock_us: 3, ..Step::default() };
        second.wait = Some(StepWait::Queued);
        first.course.woken_by = Some(2);
        second.course.held_by = Some(0);
        let lines = [send(0, "BLPOP jobs 0"), send(1, "BLPOP jobs 0"), send(2, "RPUSH jobs 1")];
        let layout = lay_out(&lines, &[first, second, at(8, 9)], &[], 1.0, |_| 90.0);
        let [answered, open] = &layout.waits[..] else { panic!("{:?}", layout.waits) };
        assert!(answered.to >= answered.from + 90.0 + WAIT_MIN && !answered.open);
        assert!(open.open && open.to > layout.chips[2].at);
        assert_eq!((answered.held_by, answered.freed_by), (None, Some(2)));
        assert_eq!((open.held_by, open.freed_by), (Some(0), None));
    }

    #[test]
    fn a_busy_zone_lies_within_its_script() {
        let mut script = at(0, 800_000);
        script.wait = Some(StepWait::Running);
        script.script = Some(ScriptRun {
            started_us: 0,
            busy_us: Some(200_000),
            ended_us: Some(800_000),
            ..ScriptRun::default()
        });
        let layout = lay_out(&[send(0, "EVAL $loop 0")], &[script], &[], 1.0, |_| 60.0);
        let work = &layout.work[0];
        let busy = work.busy_from.unwrap();
        assert!(work.from < busy && busy + BUSY_MIN <= work.to && work.to <= layout.length, "{work:?}");
    }

    #[test]
    fn pointing_at_the_axis_means_the_last_step_there() {
        let lines = [send(0, "GET a"), send(0, "GET b")];
        let layout = lay_out(&lines, &[at(0, 1), at(2, 3)], &[], 1.0, |_| 50.0);
        let [first, second] = [0, 1].map(|step| layout.chips[step].at);
        assert_eq!(
            [0.0, first, second - 10.0, second, 1e9].map(|at| layout.position_at(at)),
            [0, 1, 1, 2, 2]
        );
    }

    #[test]
    fn whoever_looks_closer_or_from_afar_sees_the_same_order() {
        let lines: Vec<Line> = (0..3_000).map(|step| send(step % 5, "INCR n")).collect();
        let steps: Vec<Step> = (0..3_000).map(|step| at(step * 1_500, step * 1_500 + 1)).collect();
        let [far, near] = [0.1, 3.0].map(|zoom| lay_out(&lines, &steps, &[], zoom, |_| 8.0));
        assert!(far.length < near.length / 4.0, "{} {}", far.length, near.length);
        for layout in [far, near] {
            assert!(layout.positions.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(layout.ticks.windows(2).all(|pair| pair[1].at - pair[0].at >= TICK_GAP));
        }
    }

    #[test]
    fn what_ends_a_script_or_the_server_is_felt_by_all() {
        let restart = Action::Server { event: crate::story::ServerEvent::Restart };
        let restart = Line { line: 1, action: restart, remarks: Vec::new(), predict: None };
        let lines = [send(0, "script kill"), restart, send(0, "SCRIPT FLUSH"), send(1, "SHUTDOWN NOSAVE")];
        let mut killed = at(0, 1);
        let kind = crate::step::ReplyKind::Value;
        killed.reply = Some(crate::step::Reply { text: "OK".to_owned(), kind, during: 0 });
        let layout = lay_out(&lines, &[killed, at(2, 3), at(4, 5), at(6, 7)], &[], 1.0, |_| 50.0);
        assert_eq!(layout.events.iter().map(|event| event.0).collect::<Vec<_>>(), [0, 1, 3]);
    }

    #[test]
    fn an_empty_story_has_a_begin() {
        let layout = lay_out(&[], &[] as &[Step], &[], 1.0, |_| 50.0);
        assert_eq!(layout.positions.len(), 1);
        assert!(layout.length > 0.0);
    }
}
