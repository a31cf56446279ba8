//! Takes requests and gives answers; holds the one story that is being told, and the server beside it.

use playground_core::profile::Version;
use playground_model::message::{Answer, Request};

use crate::aside::Aside;
use crate::explore::Exploration;
use crate::session::Session;
use crate::{edit, give, offer, read};

/// Where requests come in.
#[derive(Default)]
pub struct Desk {
    session: Option<Session>,
    aside: Option<Aside>,
    exploration: Option<Exploration>,
}

impl Desk {
    /// Answers a request in JSON by JSON. One that is not understood is answered too, by an error.
    pub fn answer_text(&mut self, request: &str) -> String {
        let answer = match serde_json::from_str(request) {
            Ok(request) => self.answer(request),
            Err(error) => Answer::Error { text: format!("this message is not understood: {error}") },
        };
        serde_json::to_string(&answer).expect("an answer holds texts and numbers, so it can be written")
    }

    pub fn answer(&mut self, request: Request) -> Answer {
        match request {
            Request::Read { text } => Answer::Story(Box::new(read::story(&text))),
            Request::Load { text, known, spoilt } => self.load(text, known, &spoilt),
            Request::Run => self.with(|session| match session.run() {
                Some(ran) => Answer::Ran(Box::new(ran)),
                None => Answer::Error { text: "the story is at its end".to_owned() },
            }),
            Request::Look { position, rows } => self.with(|session| match session.look(position, rows) {
                Some(frame) => Answer::Frame(Box::new(frame)),
                None => Answer::Error { text: format!("position {position} has not been reached") },
            }),
            Request::Insert { position, client, command } => self.with(|session| {
                edit::insert(session.text(), session.scenario(), position, &client, &command)
            }),
            Request::Record { step, run } => self.with(|session| match session.record(step, run) {
                Some(recording) => Answer::Recording(Box::new(recording)),
                None => Answer::Error { text: format!("step {} has run no such script", step + 1) },
            }),
            Request::Trace { from, to, breakpoints, watch, level } => {
                self.with(|session| match session.debugger() {
                    Some(debugger) => {
                        Answer::Moment(Box::new(debugger.go(from, &to, &breakpoints, &watch, level)))
                    }
                    None => Answer::Error { text: "no recording has been opened".to_owned() },
                })
            }
            Request::Export { form } => self.with(|session| give::export_as(session, &form)),
            Request::Command { line } => self.aside.get_or_insert_default().command(&line),
            Request::Accept { line } => self.with(|session| Answer::Text { text: session.accept(line) }),
            Request::Reply { step, during } => self.with(|session| match session.views(step, during) {
                Some(views) => Answer::Views(views),
                None => Answer::Error { text: format!("step {step} was not answered during step {during}") },
            }),
            Request::Commands => Answer::Commands { commands: offer::commands(self.version()) },
            Request::Explore { plan } => {
                let text = self.session.as_ref().map(|session| session.text().to_owned());
                match text.ok_or_else(no_story).and_then(|text| Exploration::new(&text, plan)) {
                    Ok(exploration) => self.exploration.insert(exploration).go_on(),
                    Err(text) => Answer::Error { text },
                }
            }
            Request::ExploreOn => self.with_exploration(Exploration::go_on),
            Request::ExploreEnd => self.with_exploration(Exploration::end),
            Request::Witness { outcome } => self.with_exploration(|exploration| exploration.witness(outcome)),
        }
    }

    fn load(&mut self, text: String, known: usize, spoilt: &[usize]) -> Answer {
        let mut story = read::story(&text);
        if let Some(session) = self.session.as_mut().filter(|_| spoilt.is_empty())
            && let Some(kept) = session.turn_to(&text, known)
        {
            story.kept_steps = kept;
            story.kept_leases = session.leases();
            return Answer::Story(Box::new(story));
        }
        match Session::new(text, spoilt) {
            Ok(session) => self.session = Some(session),
            Err(diagnostics) => {
                self.session = None;
                story.diagnostics = diagnostics;
            }
        }
        Answer::Story(Box::new(story))
    }

    fn with_exploration(&mut self, what: impl FnOnce(&mut Exploration) -> Answer) -> Answer {
        match &mut self.exploration {
            Some(exploration) => what(exploration),
            None => Answer::Error { text: "nothing is being explored".to_owned() },
        }
    }

    fn version(&self) -> Version {
        self.session.as_ref().map(Session::version).unwrap_or_default()
    }

    fn with(&mut self, what: impl FnOnce(&mut Session) -> Answer) -> Answer {
        match &mut self.session {
            Some(session) => what(session),
            None => Answer::Error { text: no_story() },
        }
    }
}

fn no_story() -> String {
    "no story has been loaded".to_owned()
}

#[cfg(test)]
mod tests {
    use playground_model::debug::{Breakpoint, Moment, Move};
    use playground_model::frame::Value;
    use playground_model::step::{ChangeKind, LeaseEnd, ReplyKind, Step, Wait};

    use super::*;

    fn ask(desk: &mut Desk, request: Request) -> Answer {
        // As the page does: through text and back.
        let request = serde_json::from_str(&serde_json::to_string(&request).unwrap()).unwrap();
        serde_json::from_str(&serde_json::to_string(&desk.answer(request)).unwrap()).unwrap()
    }

    /// Runs a whole story and gives every step as it was told last.
    fn tell(desk: &mut Desk, text: &str) -> (Vec<Step>, Vec<playground_model::step::Lease>) {
        let load = Request::Load { text: text.to_owned(), known: 0, spoilt: Vec::new() };
        let Answer::Story(story) = ask(desk, load) else { panic!("no story") };
        assert_eq!(story.diagnostics, []);
        run_out(desk)
    }

    fn run_out(desk: &mut Desk) -> (Vec<Step>, Vec<playground_model::step::Lease>) {
        let (mut steps, mut leases) = (Vec::new(), Vec::new());
        loop {
            let Answer::Ran(ran) = ask(desk, Request::Run) else { panic!("it does not run") };
            for (index, step) in ran.steps {
                steps.resize(steps.len().max(index + 1), Step::default());
                steps[index] = step;
            }
            for (index, lease) in ran.leases {
                leases.resize(leases.len().max(index + 1), lease.clone());
                leases[index] = lease;
            }
            if ran.done {
                return (steps, leases);
            }
        }
    }

    fn frame(desk: &mut Desk, position: usize) -> playground_model::frame::Frame {
        let Answer::Frame(frame) = ask(desk, Request::Look { position, rows: 500 }) else {
            panic!("no frame")
        };
        *frame
    }

    const STOLEN: &str =
        "A> SET lock A NX PX 300\nOK\n@ +400ms\nB> SET lock B NX PX 30000\nOK\nA> DEL lock\n(integer) 1\n";

    #[test]
    fn a_story_is_exported_to_its_end_however_far_it_has_been_told() {
        let mut desk = Desk::default();
        let load = Request::Load { text: STOLEN.to_owned(), known: 0, spoilt: Vec::new() };
        ask(&mut desk, load);
        let mut export = |form: &str| ask(&mut desk, Request::Export { form: form.to_owned() });
        let Answer::Text { text } = export("transcript") else { panic!("no transcript") };
        assert!(text.ends_with("A> DEL lock\n(integer) 1\n"), "{text}");
        assert!(matches!(export("svg"), Answer::Text { text } if text.starts_with("<svg ")));
        assert!(matches!(export("nothing"), Answer::Error { .. }));
    }

    #[test]
    fn notes_are_told_with_the_step_they_are_about() {
        let mut desk = Desk::default();
        let (steps, _) = tell(&mut desk, STOLEN);
        let told: Vec<&str> = steps[3].notes.iter().map(|note| note.id.as_str()).collect();
        assert_eq!(told, ["lock-of-another"]);
        assert_eq!((steps[3].notes[0].mentions.as_slice(), steps[3].notes[0].during), (&[2][..], 3));

        // A late answer is explained during the step that brings it.
        let (steps, _) = tell(
            &mut desk,
            "A> BLPOP jobs 0\n@ +1s\nB> EVAL \"redis.call('RPUSH', KEYS[1], 'j') return 1.5\" 1 jobs\n",
        );
        assert_eq!((steps[0].notes[0].id.as_str(), steps[0].notes[0].during), ("woken", 2));
        assert_eq!(steps[2].conversions[0].lines[0].lua, [("1".to_owned(), true), (".5".to_owned(), false)]);
    }

    #[test]
    fn the_stolen_lock_is_told_with_its_changes_and_lives() {
        let mut desk = Desk::default();
        let (steps, leases) = tell(&mut desk, STOLEN);
        let replies: Vec<&str> =
            steps.iter().filter_map(|step| step.reply.as_ref()).map(|reply| reply.text.as_str()).collect();
        assert_eq!(replies, ["OK", "OK", "(integer) 1"]);
        let kinds: Vec<ChangeKind> =
            steps.iter().flat_map(|step| &step.changes).map(|change| change.kind).collect();
        assert_eq!(kinds, [ChangeKind::Added, ChangeKind::Expired, ChangeKind::Added, ChangeKind::Removed]);
        let ends: Vec<_> = leases.iter().map(|lease| lease.ended.map(|(_, end)| end)).collect();
        assert_eq!(ends, [Some(LeaseEnd::Expired), Some(LeaseEnd::Removed)]);
        assert!(steps.iter().all(|step| step.differences.is_empty()));
    }

    #[test]
    fn every_position_can_be_looked_at_in_any_order() {
        let mut desk = Desk::default();
        tell(&mut desk, STOLEN);
        assert_eq!(frame(&mut desk, 4).rows, []);
        let row = &frame(&mut desk, 3).rows[0];
        assert_eq!((row.key.as_str(), &row.value), ("lock", &Value::Text("\"B\"".to_owned())));
        let expiry = row.expiry.unwrap();
        assert!((29_990_000..=30_000_000).contains(&(expiry.at_us - expiry.since_us)), "{expiry:?}");
        assert_eq!(frame(&mut desk, 0).rows, []);
        assert_eq!(frame(&mut desk, 0).clients.len(), 2);
        let early = ask(&mut desk, Request::Look { position: 9, rows: 1 });
        assert!(matches!(early, Answer::Error { .. }));
    }

    #[test]
    fn a_blocked_client_is_answered_by_a_later_step() {
        let (steps, _) = tell(&mut Desk::default(), "A> BLPOP jobs 0\nB> RPUSH jobs j1\nA> PING\n");
        assert_eq!(steps[0].wait, Some(Wait::Blocked));
        let reply = steps[0].reply.as_ref().unwrap();
        assert_eq!((reply.text.as_str(), reply.during), ("1) \"jobs\"\n2) \"j1\"", 1));
        assert!(steps[0].ended_us.unwrap() >= steps[1].sent_us);
        assert_eq!((steps[0].course.woken_by, steps[0].course.woken_us), (Some(1), steps[0].ended_us));
    }

    #[test]
    fn a_script_that_never_ends_makes_the_others_wait_and_then_busy_until_it_is_killed() {
        let text = "@ config busy-reply-threshold 200\nA> EVAL 'while true do end' 0\nB> PING\n@ +300ms\nB> PING\nB> SCRIPT KILL\n@ +1ms\nB> PING\n";
        let mut desk = Desk::default();
        let (steps, _) = tell(&mut desk, text);
        assert_eq!([&steps[0].wait, &steps[1].wait], [&Some(Wait::Running), &Some(Wait::Queued)]);
        let kinds = [1, 3, 4, 6].map(|step| steps[step].reply.as_ref().unwrap().kind);
        assert_eq!(kinds, [ReplyKind::Busy, ReplyKind::Busy, ReplyKind::Value, ReplyKind::Value]);
        let script = steps[0].script.as_ref().unwrap();
        assert_eq!(script.busy_us.unwrap() - script.started_us, 200_000);
        assert!(script.ended_us.is_some());
        assert_eq!((steps[1].course.held_by, steps[0].course.killed_by), (Some(0), Some(4)));
        assert_eq!(steps[0].course.busy_us, script.busy_us);
        assert!(frame(&mut desk, 4).running.unwrap().busy);
        assert!(frame(&mut desk, 7).running.is_none());
    }

    #[test]
    fn what_is_not_as_expected_is_told_and_can_be_accepted() {
        let mut desk = Desk::default();
        let (steps, _) = tell(&mut desk, "A> INCR n\n(integer) 2\nA> GET n\n");
        let difference = &steps[0].differences[0];
        assert_eq!((difference.expected.as_str(), difference.got.as_str()), ("(integer) 2", "(integer) 1"));
        let Answer::Text { text } = ask(&mut desk, Request::Accept { line: None }) else { panic!("no text") };
        assert_eq!(text, "A> INCR n\n(integer) 1\nA> GET n\n\"1\"\n");
    }

    #[test]
    fn a_reply_is_shown_as_bytes_of_both_protocols_and_as_json() {
        let mut desk = Desk::default();
        tell(&mut desk, "A> HSET h f 1 g \"\\xff\"\nA> HGETALL h\nA> GET h\nB> BLPOP l 0\nA> RPUSH l x\n");
        let mut views = |step, during| match ask(&mut desk, Request::Reply { step, during }) {
            Answer::Views(views) => Some(views),
            _ => None,
        };
        let all = views(1, 1).unwrap();
        assert_eq!(
            all.resp2,
            "*4\\r\\n\n$1\\r\\n\nf\\r\\n\n$1\\r\\n\n1\\r\\n\n$1\\r\\n\ng\\r\\n\n$1\\r\\n\n\\xff\\r\\n"
        );
        assert!(all.resp3.starts_with("%2\\r\\n\n$1"), "{}", all.resp3);
        assert_eq!(all.json, "{\n  \"f\": \"1\",\n  \"g\": \"\u{fffd}\"\n}");
        assert!(views(2, 2).unwrap().json.starts_with("{ \"error\": \"WRONGTYPE "));
        assert_eq!(views(3, 4).unwrap().json, "[\n  \"l\",\n  \"x\"\n]");
        assert_eq!(views(3, 3), None);
    }

    #[test]
    fn one_reply_can_be_accepted_and_the_others_left() {
        let mut desk = Desk::default();
        let (steps, _) = tell(&mut desk, "A> INCR n\n(integer) 2\nA> INCR n\n(integer) 9\n");
        assert_eq!([&steps[0], &steps[1]].map(|step| step.differences[0].line), [2, 4]);
        let accept = Request::Accept { line: Some(4) };
        let Answer::Text { text } = ask(&mut desk, accept) else { panic!("no text") };
        assert_eq!(text, "A> INCR n\n(integer) 2\nA> INCR n\n(integer) 2\n");
    }

    #[test]
    fn what_can_be_typed_is_what_the_storys_server_has() {
        let names = |desk: &mut Desk| match ask(desk, Request::Commands) {
            Answer::Commands { commands } => {
                commands.into_iter().map(|command| command.name).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        };
        let mut desk = Desk::default();
        let newest = names(&mut desk);
        for name in ["SET", "CONFIG GET", "DELEX", "EVALSHA"] {
            assert!(newest.iter().any(|known| known == name), "{name}");
        }
        assert!(newest.windows(2).all(|pair| pair[0] < pair[1]));
        tell(&mut desk, "@ redis 7.0\nA> PING\n");
        assert!(!names(&mut desk).iter().any(|known| known == "DELEX"));
    }

    #[test]
    fn a_step_that_cost_an_engine_is_left_out_and_the_rest_is_told() {
        let mut desk = Desk::default();
        let load = Request::Load { text: STOLEN.to_owned(), known: 0, spoilt: vec![0] };
        assert!(matches!(ask(&mut desk, load), Answer::Story(_)));
        let (steps, _) = run_out(&mut desk);
        assert!(steps[0].spoilt && steps[0].reply.is_none() && steps[0].differences.is_empty());
        assert_eq!(steps[2].reply.as_ref().unwrap().text, "OK");
    }

    #[test]
    fn the_lost_update_is_explored_in_slices_and_its_witness_is_a_story() {
        let mut desk = Desk::default();
        let steps = |client: char| format!("{client}> GET n\n@ {client}: keep n\n{client}> SET n $n+1\n");
        let text = format!(
            "A> SET n 0\n@ explore\n{}{}{}@ finally GET n\n\"3\"\n",
            steps('A'),
            steps('B'),
            steps('C')
        );
        tell(&mut desk, &text);
        let mut answer = ask(&mut desk, Request::Explore { plan: Default::default() });
        let explored = loop {
            let Answer::Explored(explored) = answer else { panic!("{answer:?}") };
            if explored.done {
                break explored;
            }
            answer = ask(&mut desk, Request::ExploreOn);
        };
        assert_eq!((explored.orders.as_str(), explored.outcomes_total), ("90", 3));
        assert_eq!(explored.checks[0].failing.as_deref(), Some("84"));
        assert_eq!(explored.outcomes[0].fails, [0]);
        let Answer::Text { text } = ask(&mut desk, Request::Witness { outcome: 0 }) else {
            panic!("no text")
        };
        let (steps, _) = tell(&mut desk, &text);
        assert_eq!(steps.iter().flat_map(|step| &step.differences).count(), 1, "the check fails: {text}");
        let gone = ask(&mut desk, Request::Witness { outcome: 99 });
        assert!(matches!(gone, Answer::Error { .. }));
    }

    #[test]
    fn requests_without_a_story_are_answered_by_errors() {
        let mut desk = Desk::default();
        let explore = Request::Explore { plan: Default::default() };
        let requests = [
            Request::Run,
            Request::Look { position: 0, rows: 1 },
            Request::Accept { line: None },
            explore,
            Request::ExploreOn,
        ];
        for request in requests {
            assert!(matches!(ask(&mut desk, request), Answer::Error { .. }));
        }
        assert!(
            desk.answer_text("good morning")
                .starts_with(r#"{"error":{"text":"this message is not understood"#)
        );
    }

    #[test]
    fn a_mistake_is_told_and_nothing_is_run() {
        let mut desk = Desk::default();
        let load =
            Request::Load { text: "A> PING\nA> GET $nothing\n".to_owned(), known: 0, spoilt: Vec::new() };
        let Answer::Story(story) = ask(&mut desk, load) else { panic!("no story") };
        assert_eq!(story.diagnostics.len(), 1, "{:?}", story.diagnostics);
        assert!(matches!(ask(&mut desk, Request::Run), Answer::Error { .. }));
        let load = Request::Load {
            text: "@ config no-such-thing 1\nA> PING\n".to_owned(),
            known: 0,
            spoilt: Vec::new(),
        };
        let Answer::Story(story) = ask(&mut desk, load) else { panic!("no story") };
        assert_eq!(story.diagnostics[0].line, 1, "{:?}", story.diagnostics);
    }

    fn trace(desk: &mut Desk, from: usize, to: Move, watch: &[&str]) -> Moment {
        let breakpoints = vec![Breakpoint { line: 3, condition: "n == 1".to_owned() }];
        let watch = watch.iter().map(|text| (*text).to_owned()).collect();
        let request = Request::Trace { from, to, breakpoints, watch, level: 0 };
        let Answer::Moment(moment) = ask(desk, request) else { panic!("no moment") };
        *moment
    }

    #[test]
    fn the_run_of_a_script_is_stepped_through_while_the_others_see_nothing_of_it() {
        let text = "```lua limit\nlocal n = redis.call('INCR', KEYS[1])\nif n == 1 then\n  redis.call('PEXPIRE', KEYS[1], 100)\nend\nreturn {n, 0.5}\n```\n\n```redis\nA> EVAL $limit 1 hits\nA> GET hits\n```\n";
        let mut desk = Desk::default();
        tell(&mut desk, text);
        let Answer::Recording(recording) = ask(&mut desk, Request::Record { step: 0, run: 0 }) else {
            panic!("no recording")
        };
        assert_eq!((recording.runs, recording.keys.as_slice()), (1, &["hits".to_owned()][..]));
        let at_break = trace(&mut desk, 0, Move::Run, &["n + 1", "nobody"]);
        assert_eq!((at_break.line, at_break.next_line), (Some(3), Some(3)));
        assert_eq!(at_break.stack[0].locals[0].value, "1");
        assert_eq!(
            (at_break.changed[0].before.as_deref(), at_break.changed[0].now.as_deref()),
            (None, Some("\"1\""))
        );
        assert_eq!((at_break.watched[0].value.as_str(), at_break.watched[1].failed), ("2", true));
        let called = trace(&mut desk, at_break.point, Move::NextCall, &[]);
        let call = called.calls.last().unwrap();
        assert_eq!(
            (call.command.as_str(), call.reply.as_str(), call.resp.as_str(), call.lua.as_str()),
            ("PEXPIRE hits 100", "(integer) 1", ":1\\r\\n", "1")
        );
        assert_eq!(called.changed[0].now.as_deref(), Some("\"1\" (PTTL 100)"));
        let begin = trace(&mut desk, 2, Move::BackOver, &[]);
        assert_eq!((begin.point, begin.changed.len()), (0, 0));
        let end = trace(&mut desk, 0, Move::End, &[]);
        let told = end.end.unwrap();
        assert_eq!(
            (told.lua.as_str(), told.reply.unwrap().text.as_str()),
            ("{1, 0.5}", "1) (integer) 1\n2) (integer) 0")
        );
        let none = ask(&mut desk, Request::Record { step: 1, run: 0 });
        assert!(matches!(none, Answer::Error { .. }));
    }
}
