//! Moves through the recording of a script's run and says what is seen there.

use playground_core::Bytes;
use playground_core::clock::Micros;
use playground_core::keyspace::Entry;
use playground_core::lua::LuaValue;
use playground_core::profile::Version;
use playground_core::script::{self, Frame, PointKind};
use playground_core::server::ScriptRun;
use playground_core::state::{Program, State};
use playground_core::timeline;
use playground_model::debug::{
    Breakpoint, Call, End, Ending, KeyNow, Level, LevelKind, Moment, Move, Recording, Variable, Watched,
};
use playground_model::step::Reply;

use crate::print;

/// Keys that are told as changed.
const CHANGED_MAX: usize = 100;

pub(crate) struct Debugger {
    recording: timeline::Recording,
    start: Micros,
    version: Version,
}

impl Debugger {
    /// `start`: when the story began.
    pub(crate) fn new(run: ScriptRun, start: Micros, version: Version) -> Self {
        Self { recording: timeline::Recording::open(run), start, version }
    }

    pub(crate) fn describe(&self) -> Recording {
        let run = self.recording.run();
        let texts = |texts: &[Bytes]| texts.iter().map(print::key).collect();
        let name = match &run.plan().program {
            Program::Script { sha, .. } => sha.as_str().to_owned(),
            Program::Function { name, .. } => name.to_text(),
        };
        Recording {
            name,
            source: run.source().to_text(),
            keys: texts(&run.plan().keys),
            args: texts(&run.plan().args),
            ..Recording::default()
        }
    }

    pub(crate) fn go(
        &mut self,
        from: usize,
        to: &Move,
        breakpoints: &[Breakpoint],
        watch: &[String],
        level: usize,
    ) -> Moment {
        let condition = |text: &String| (!text.trim().is_empty()).then(|| Bytes::from(text.as_bytes()));
        let breakpoints: Vec<script::Breakpoint> = breakpoints
            .iter()
            .map(|at| script::Breakpoint { line: at.line, condition: condition(&at.condition) })
            .collect();
        let recording = &mut self.recording;
        let point = match to {
            Move::To(point) => *point,
            Move::End => {
                recording.find_end();
                recording.points().len()
            }
            Move::In => recording.step_in(from),
            Move::Over => recording.step_over(from),
            Move::Out => recording.step_out(from),
            Move::Back => recording.back(from),
            Move::BackOver => recording.back_over(from),
            Move::BackOut => recording.back_out(from),
            Move::NextCall => recording.next_call(from),
            Move::PreviousCall => recording.previous_call(from),
            Move::Run => recording.run_to(from, &breakpoints),
            Move::RunBack => recording.run_back_to(from, &breakpoints),
        };
        self.moment(point, watch, level)
    }

    fn moment(&mut self, point: usize, watch: &[String], level: usize) -> Moment {
        let expressions = watch.iter().map(|text| Bytes::from(text.as_bytes())).collect();
        let watched = self.recording.evaluate(point, level, expressions).into_iter().map(watched).collect();
        let time_us = self.recording.time_at(point).saturating_sub(self.start).0;
        let next_line = self.recording.point(point + 1).filter(|next| next.in_script).map(|next| next.line);
        match self.recording.at(point) {
            Some(frame) => Moment { watched, time_us, next_line, ..self.seen(point, &frame) },
            None => Moment { time_us, ..self.end() },
        }
    }

    fn seen(&self, point: usize, frame: &Frame) -> Moment {
        let at = frame.point;
        Moment {
            point,
            points: self.recording.points().len(),
            more: self.recording.end().is_none(),
            line: at.in_script.then_some(at.line),
            in_call: at.kind == PointKind::Call,
            instructions: at.instructions,
            stack: frame.stack.iter().map(level).collect(),
            calls: self.calls(frame),
            calls_total: at.calls as usize,
            changed: self.changed(&frame.state),
            ..Moment::default()
        }
    }

    fn end(&mut self) -> Moment {
        let end = self.recording.find_end().clone();
        let points = self.recording.points().len();
        let last = points.checked_sub(1).and_then(|last| self.recording.at(last));
        let (kind, lua) = end.value.as_ref().map(told).unwrap_or_default();
        let reply = end.reply.as_ref().map(|reply| Reply {
            text: print::reply_text(reply, self.version),
            kind: print::kind(reply),
            during: 0,
        });
        Moment {
            point: points,
            points,
            instructions: end.instructions,
            calls: last.as_ref().map(|frame| self.calls(frame)).unwrap_or_default(),
            calls_total: last.map_or(0, |frame| frame.point.calls as usize),
            changed: self.changed(&end.state),
            end: Some(End {
                how: ending(end.how),
                reply,
                lua_kind: kind,
                lua,
                killed: end.killed_at.is_some(),
                unlisted: !end.is_listed,
            }),
            ..Moment::default()
        }
    }

    fn calls(&self, frame: &Frame) -> Vec<Call> {
        let call = |call: &std::rc::Rc<script::Call>| {
            let (lua_kind, lua) = told(&call.value);
            Call {
                number: call.number as usize + 1,
                line: call.line,
                command: print::command(&call.argv),
                reply: print::reply_text(&call.reply, self.version),
                resp: print::resp(&call.reply, call.protocol, self.version),
                lua_kind,
                lua,
                raised: call.raised,
            }
        };
        frame.calls.iter().map(call).collect()
    }

    fn changed(&self, state: &State) -> Vec<KeyNow> {
        let before = &self.recording.run().state().dbs;
        let dbs = before.iter().zip(&state.dbs).enumerate();
        let all = dbs.flat_map(|(db, (before, now))| {
            before.differences(now).map(move |(key, before, now)| (db, key, before, now))
        });
        let text = |entry: Option<&Entry>| entry.map(|entry| self.entry(entry, state));
        let key = |(db, key, before, now)| KeyNow {
            db,
            key: print::key(key),
            before: text(before),
            now: text(now),
        };
        all.take(CHANGED_MAX).map(key).collect()
    }

    /// A value, and what is left of its life.
    fn entry(&self, entry: &Entry, state: &State) -> String {
        let value = print::brief(entry, self.version, self.start.0).value;
        match entry.expires_at {
            Some(at) => format!("{value} (PTTL {})", at.0.saturating_sub(state.now.unix_millis().0).max(0)),
            None => value,
        }
    }
}

fn level(level: &script::Level) -> Level {
    let variable = |pair: &script::Pair| {
        let (kind, value) = told(&pair.value);
        Variable { name: pair.name.clone(), kind, value }
    };
    Level {
        name: level.name.clone(),
        kind: match level.kind {
            script::LevelKind::Main => LevelKind::Main,
            script::LevelKind::Lua => LevelKind::Lua,
            script::LevelKind::Native => LevelKind::Native,
            script::LevelKind::Tail => LevelKind::Tail,
        },
        line: (level.line > 0).then_some(level.line),
        in_script: level.in_script,
        coroutine: level.coroutine,
        locals: level.locals.iter().map(variable).collect(),
        upvalues: level.upvalues.iter().map(variable).collect(),
    }
}

/// The type's name, and the value.
fn told(value: &LuaValue) -> (String, String) {
    (value.type_name().to_owned(), print::shortened(print::lua(value), print::LUA_CHARS_MAX))
}

fn watched(result: Result<LuaValue, String>) -> Watched {
    match result {
        Ok(value) => {
            let (kind, value) = told(&value);
            Watched { kind, value, failed: false }
        }
        Err(value) => Watched { kind: String::new(), value, failed: true },
    }
}

fn ending(how: timeline::Ending) -> Ending {
    match how {
        timeline::Ending::Returned => Ending::Returned,
        timeline::Ending::Failed => Ending::Failed,
        timeline::Ending::Killed => Ending::Killed,
        timeline::Ending::Crashed => Ending::Crashed,
        timeline::Ending::Running => Ending::Running,
    }
}
