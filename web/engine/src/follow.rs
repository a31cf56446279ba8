//! Follows a run step by step and keeps what the page is told of it: steps, script runs, changes of keys, and how
//! long keys were to live.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use playground_core::Bytes;
use playground_core::clock::{Micros, UnixMillis};
use playground_core::explain::Explained;
use playground_core::keyspace::{Entry, KeyId};
use playground_core::profile::Version;
use playground_core::server::{ClientId, Event, EventKind, KeyChange, Server};
use playground_core::timeline::{self, Action, Seen, Timeline};
use playground_model::message::Ran;
use playground_model::step::{
    Change, ChangeKind, Course, Difference, Lease, LeaseEnd, Reply, ScriptRun, Step, Wait,
};

use crate::{notes, print};

/// Calls of a script that are told; the page says how many there were.
const CALLS_MAX: usize = 50;
const LOGS_MAX: usize = 50;

pub(crate) struct Follower {
    start: Micros,
    version: Version,
    spoilt: BTreeSet<usize>,
    steps: Vec<Step>,
    leases: Vec<Lease>,
    /// Which scripts and functions were run, and during which step.
    runs: Vec<(usize, String)>,
    open: Open,
}

/// What later steps can still change.
#[derive(Clone, Default)]
struct Open {
    /// Of keys that have an expiry now: which lease it is, and the expiry.
    leases: BTreeMap<(usize, Bytes), (usize, UnixMillis)>,
    /// Steps that have been sent and have not ended.
    unended: Vec<usize>,
    /// By client: steps that have not been started, and the one under way.
    waiting: BTreeMap<usize, VecDeque<usize>>,
    current: BTreeMap<usize, usize>,
}

/// All that is needed to go back to a position.
pub(crate) struct Memory {
    open: Open,
    /// The steps that had not ended, as they stood.
    unended: Vec<(usize, Step)>,
    /// There were so many.
    leases: usize,
}

/// What happened to one key during a step.
struct Touched {
    db: usize,
    key: Bytes,
    at: Micros,
    expired_at: Option<Micros>,
    evicted: bool,
}

impl Follower {
    pub(crate) fn new(start: Micros, version: Version, spoilt: &[usize]) -> Self {
        Self {
            start,
            version,
            spoilt: spoilt.iter().copied().collect(),
            steps: Vec::new(),
            leases: Vec::new(),
            runs: Vec::new(),
            open: Open::default(),
        }
    }

    pub(crate) fn leases(&self) -> &[Lease] {
        &self.leases
    }

    /// How often each script was run up to a position.
    pub(crate) fn runs(&self, position: usize) -> BTreeMap<&str, usize> {
        let mut runs = BTreeMap::new();
        for (_, name) in self.runs.iter().take_while(|(step, _)| *step < position) {
            *runs.entry(name.as_str()).or_default() += 1;
        }
        runs
    }

    pub(crate) fn has_spoilt(&self) -> bool {
        !self.spoilt.is_empty()
    }

    pub(crate) fn memory(&self) -> Memory {
        let unended = self.open.unended.iter().map(|step| (*step, self.steps[*step].clone())).collect();
        Memory { open: self.open.clone(), unended, leases: self.leases.len() }
    }

    /// Forgets the steps behind a position, and what they have changed of those before. Gives the steps that are to be told again,
    /// as nobody can know from later how they stood.
    pub(crate) fn go_back_to(&mut self, position: usize, memory: &Memory) -> Vec<usize> {
        self.steps.truncate(position);
        for (step, as_it_stood) in &memory.unended {
            self.steps[*step].clone_from(as_it_stood);
        }
        self.steps.iter_mut().for_each(|step| step.forget_from(position));
        self.leases.truncate(memory.leases);
        for (lease, _) in memory.open.leases.values() {
            self.leases[*lease].ended = None;
        }
        self.runs.retain(|(step, _)| *step < position);
        self.open = memory.open.clone();
        self.open.unended.clone()
    }

    /// The story's clock at a position that has been reached.
    pub(crate) fn clock_us(&self, position: usize) -> u64 {
        position.checked_sub(1).and_then(|step| self.steps.get(step)).map_or(0, |step| step.clock_us)
    }

    pub(crate) fn add_difference(&mut self, step: usize, difference: Difference, ran: &mut Ran) {
        self.steps[step].differences.push(difference);
        self.tell_again(step, ran);
    }

    pub(crate) fn add_notes(&mut self, during: usize, explained: Explained, ran: &mut Ran) {
        for (step, note) in notes::notes(during, &explained) {
            self.steps[step].notes.push(note);
            self.tell_again(step, ran);
        }
        for (step, conversion) in notes::conversions(during, &explained) {
            self.steps[step].conversions.push(conversion);
            self.tell_again(step, ran);
        }
    }

    pub(crate) fn tell_again(&self, step: usize, ran: &mut Ran) {
        ran.steps.retain(|(index, _)| *index != step);
        ran.steps.push((step, self.steps[step].clone()));
    }

    /// Takes in the step that was run last. `before` and `after`: the server around it.
    pub(crate) fn follow(
        &mut self,
        timeline: &Timeline,
        index: usize,
        before: &Server,
        after: &Server,
    ) -> Ran {
        let record = &timeline.records()[index];
        let mut changed = BTreeSet::from([index]);
        let step = self.step(record, index, after);
        self.steps.push(step);
        self.open.unended.push(index);
        if let Action::Send(send) = &timeline.scenario().steps[index].action
            && record.observed.reply != Some(Seen::Skipped)
        {
            self.open.waiting.entry(send.client).or_default().push_back(index);
        }
        for (late, seen) in &record.late {
            self.steps[*late].reply = Some(self.reply(seen, index));
            changed.insert(*late);
        }
        for event in &record.events {
            if let EventKind::ScriptStarted { name, .. } = &event.kind {
                self.runs.push((index, name.to_text()));
            }
            changed.extend(self.follow_script(timeline, event, after));
        }
        changed.extend(self.follow_running(timeline, after));
        changed.extend(self.follow_times(timeline));
        let touched = touched(&record.events);
        self.steps[index].changes = self.changes(&touched, before, after);
        let leases = self.follow_leases(&touched, after);
        let told = |index: usize| (index, self.steps[index].clone());
        Ran {
            steps: changed.into_iter().map(told).collect(),
            leases: leases.into_iter().map(|index| (index, self.leases[index].clone())).collect(),
            ..Ran::default()
        }
    }

    fn since_start(&self, at: Micros) -> u64 {
        at.saturating_sub(self.start).0
    }

    fn step(&self, record: &timeline::Record, index: usize, after: &Server) -> Step {
        let text = |(client, seen): &(usize, Seen)| (*client, print::seen(seen, self.version).0);
        Step {
            sent_us: self.since_start(record.times.sent),
            clock_us: self.since_start(record.times.sent.max(after.now())),
            wait: record.wait.map(|wait| match wait {
                timeline::Wait::Blocked => Wait::Blocked,
                timeline::Wait::Running => Wait::Running,
                timeline::Wait::Queued => Wait::Queued,
            }),
            reply: record.observed.reply.as_ref().map(|seen| self.reply(seen, index)),
            messages: record.messages.iter().map(text).collect(),
            problems: record.observed.problem.iter().cloned().collect(),
            spoilt: self.spoilt.contains(&index),
            ..Step::default()
        }
    }

    fn reply(&self, seen: &Seen, during: usize) -> Reply {
        let (text, kind) = print::seen(seen, self.version);
        Reply { text, kind, during }
    }

    /// Takes over when steps began and ended; gives those that did now.
    fn follow_times(&mut self, timeline: &Timeline) -> Vec<usize> {
        let mut changed = Vec::new();
        let mut unended = std::mem::take(&mut self.open.unended);
        unended.retain(|index| {
            let timeline::Record { times, course, .. } = &timeline.records()[*index];
            let started_us = times.started.map(|at| self.since_start(at));
            let ended_us = times.ended.map(|at| self.since_start(at));
            let course = self.course(course);
            let step = &mut self.steps[*index];
            if (step.started_us, step.ended_us, step.course) != (started_us, ended_us, course) {
                (step.started_us, step.ended_us, step.course) = (started_us, ended_us, course);
                changed.push(*index);
            }
            ended_us.is_none()
        });
        self.open.unended = unended;
        changed
    }

    fn course(&self, course: &timeline::Course) -> Course {
        let us = |at: Micros| self.since_start(at);
        Course {
            held_by: course.held_by,
            blocked_us: course.blocked.map(us),
            woken_us: course.woken.map(|woken| us(woken.at)),
            woken_by: course.woken.and_then(|woken| woken.by),
            busy_us: course.busy.map(us),
            killed_us: course.killed.map(|killed| us(killed.at)),
            killed_by: course.killed.map(|killed| killed.by),
        }
    }

    /// The step that an event of a script belongs to, if it does.
    fn follow_script(&mut self, timeline: &Timeline, event: &Event, after: &Server) -> Option<usize> {
        let at_us = self.since_start(event.at);
        match &event.kind {
            EventKind::Started { client } => {
                let client = timeline.client_of(*client)?;
                let step = self.open.waiting.get_mut(&client)?.pop_front()?;
                self.open.current.insert(client, step);
                None
            }
            EventKind::Closed { client } => {
                let client = timeline.client_of(*client)?;
                self.open.waiting.remove(&client);
                let step = self.open.current.remove(&client)?;
                let run = self.steps[step].script.as_mut()?;
                run.ended_us.get_or_insert(at_us);
                Some(step)
            }
            EventKind::ScriptStarted { client, name } => {
                let (step, run) = self.script_run(timeline, *client, at_us)?;
                run.name = name.to_text();
                Some(step)
            }
            EventKind::BusyBegan { client } => {
                let (step, run) = self.script_run(timeline, *client, at_us)?;
                run.busy_us = Some(at_us);
                Some(step)
            }
            EventKind::ScriptCalled { client, argv, reply } => {
                let call = (print::command(argv), print::reply_text(reply, self.version));
                let (step, run) = self.script_run(timeline, *client, at_us)?;
                run.calls_total += 1;
                if run.calls.len() < CALLS_MAX {
                    run.calls.push(call);
                }
                Some(step)
            }
            EventKind::ScriptLogged { client, text, .. } => {
                let (step, run) = self.script_run(timeline, *client, at_us)?;
                if run.logs.len() < LOGS_MAX {
                    run.logs.push(text.to_text());
                }
                Some(step)
            }
            EventKind::ScriptEnded { client, instructions } => {
                let worked_us = after.state().cost.script(*instructions).0;
                let (step, run) = self.script_run(timeline, *client, at_us)?;
                // A short one is told with the moment of its begin.
                run.ended_us = Some(at_us.max(run.started_us + worked_us));
                run.instructions += instructions;
                Some(step)
            }
            _ => None,
        }
    }

    /// The script of the step under way. One that runs past the threshold is first heard of there.
    fn script_run(
        &mut self,
        timeline: &Timeline,
        client: ClientId,
        at_us: u64,
    ) -> Option<(usize, &mut ScriptRun)> {
        let step = *self.open.current.get(&timeline.client_of(client)?)?;
        let started = timeline.records()[step].times.started;
        let started_us = started.map_or(at_us, |at| at.saturating_sub(self.start).0);
        let run =
            self.steps[step].script.get_or_insert_with(|| ScriptRun { started_us, ..ScriptRun::default() });
        Some((step, run))
    }

    fn follow_running(&mut self, timeline: &Timeline, after: &Server) -> Option<usize> {
        let running = after.state().running.as_ref()?;
        let started_us = self.since_start(running.plan.started_at);
        let (step, run) = self.script_run(timeline, running.client, started_us)?;
        run.name = running.name().to_text();
        run.started_us = started_us;
        Some(step)
    }

    fn changes(&self, touched: &[Touched], before: &Server, after: &Server) -> Vec<Change> {
        let brief = |entry: &Entry| print::brief(entry, self.version, self.start.0);
        let mut changes = Vec::new();
        for touched in touched {
            let Touched { db, key, at, expired_at, evicted } = touched;
            let was = entry(before, *db, key);
            let is = entry(after, *db, key);
            let mut push = |kind, at: Micros, before: Option<&Entry>, after: Option<&Entry>| {
                changes.push(Change {
                    db: *db,
                    key: print::key(key),
                    kind,
                    at_us: self.since_start(at),
                    before: before.map(brief),
                    after: after.map(brief),
                });
            };
            match (was, is, expired_at) {
                (Some(was), None, Some(expired)) => push(ChangeKind::Expired, *expired, Some(was), None),
                (Some(was), Some(is), Some(expired)) => {
                    push(ChangeKind::Expired, *expired, Some(was), None);
                    push(ChangeKind::Added, *at, None, Some(is));
                }
                (Some(was), None, None) if *evicted => push(ChangeKind::Evicted, *at, Some(was), None),
                (Some(was), None, None) => push(ChangeKind::Removed, *at, Some(was), None),
                (None, Some(is), _) => push(ChangeKind::Added, *at, None, Some(is)),
                (Some(was), Some(is), None) if is_different(was, is) => {
                    push(ChangeKind::Changed, *at, Some(was), Some(is));
                }
                _ => {}
            }
        }
        changes
    }

    /// Gives the leases that began, changed or ended.
    fn follow_leases(&mut self, touched: &[Touched], after: &Server) -> Vec<usize> {
        let mut changed = Vec::new();
        let open = std::mem::take(&mut self.open.leases);
        for ((db, key), (lease, until)) in open {
            let now = entry(after, db, &key);
            let touched = touched.iter().find(|touched| touched.db == db && touched.key == key);
            if now.is_some_and(|entry| entry.expires_at == Some(until)) {
                self.open.leases.insert((db, key), (lease, until));
                continue;
            }
            let end = match (touched.and_then(|touched| touched.expired_at), now) {
                (Some(_), _) => LeaseEnd::Expired,
                (None, None) => LeaseEnd::Removed,
                (None, Some(_)) => LeaseEnd::Replaced,
            };
            // A restart without its data touches no key.
            let at = touched.map_or(after.now(), |touched| touched.expired_at.unwrap_or(touched.at));
            self.leases[lease].ended = Some((self.since_start(at), end));
            changed.push(lease);
        }
        for Touched { db, key, at, .. } in touched {
            let Some(until) = entry(after, *db, key).and_then(|entry| entry.expires_at) else { continue };
            let from_us = self.since_start(*at);
            let until_us = self.since_start(until.micros());
            self.open.leases.entry((*db, key.clone())).or_insert_with(|| {
                changed.push(self.leases.len());
                let key = print::key(key);
                self.leases.push(Lease { db: *db, key, from_us, until_us, ended: None });
                (self.leases.len() - 1, until)
            });
        }
        changed
    }
}

fn entry<'a>(server: &'a Server, db: usize, key: &Bytes) -> Option<&'a Entry> {
    server.state().dbs.get(db)?.get(&KeyId::new(key))
}

/// Whether someone who looks at the key sees a difference.
fn is_different(was: &Entry, is: &Entry) -> bool {
    was.expires_at != is.expires_at || was.value != is.value
}

/// The keys that events name, in the order in which they first do.
fn touched(events: &[Event]) -> Vec<Touched> {
    let mut found: Vec<Touched> = Vec::new();
    let mut places: BTreeMap<(usize, Bytes), usize> = BTreeMap::new();
    for event in events {
        let EventKind::KeyChanged { db, key, change, .. } = &event.kind else { continue };
        let db = *db as usize;
        let place = *places.entry((db, key.clone())).or_insert_with(|| {
            let key = key.clone();
            found.push(Touched { db, key, at: event.at, expired_at: None, evicted: false });
            found.len() - 1
        });
        let touched = &mut found[place];
        touched.at = event.at;
        match change {
            KeyChange::Expired => touched.expired_at = touched.expired_at.or(Some(event.at)),
            KeyChange::Evicted => touched.evicted = true,
            KeyChange::Written | KeyChange::Deleted => {}
        }
    }
    found
}
