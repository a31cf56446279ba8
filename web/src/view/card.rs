//! The step at the reader's position: who, what, the reply, what changed, and what the author says of it.

use crate::view::Views;
use leptos::prelude::*;
use playground_model::message::{Answer, ReplyViews, Request};
use playground_model::span;
use playground_model::step::{Brief, Change, ChangeKind, Course, Difference, ScriptRun, Step, Wait};

use super::notes::{Notes, StepLink};
use super::predict::{prediction, question};
use super::prose::Remark;
use super::story::Deed;
use super::{ClientBadge, Sign, announce};
use crate::engine;
use crate::store::{ReplyForm, Store, store};
use crate::strings::T;

#[component]
pub(super) fn StepCard() -> impl IntoView {
    view! {
        <section class="panel card" aria-label=T.step_card>
            <CardBody />
        </section>
    }
}

#[component]
pub(super) fn CardBody() -> impl IntoView {
    let store = store();
    move || {
        let position = store.position.get();
        let body = match position.checked_sub(1) {
            None => before_first(&store).into_any(),
            Some(index) => match store.steps.with(|steps| steps.get(index).cloned()) {
                Some(step) => card(&store, index, &step).into_any(),
                None => ().into_any(),
            },
        };
        view! { {question(&store, position)} {body} }
    }
}

fn before_first(store: &Store) -> impl IntoView + use<> {
    let is_empty = store.story.with(|story| story.lines.is_empty());
    let help = if is_empty { T.empty_story } else { T.before_first_help };
    view! {
        <h2 class="card-title">{T.before_first}</h2>
        <p class="empty">{help}</p>
    }
}

fn card(store: &Store, index: usize, step: &Step) -> impl IntoView + use<> {
    let line = store.story.with(|story| story.lines.get(index).cloned())?;
    let remarks = line.remarks.into_iter().map(|text| view! { <Remark text /> }).collect_views();
    let problems =
        step.problems.iter().map(|text| view! { <p class="problem">{text.clone()}</p> }).collect_views();
    let differences = step.differences.iter().map(difference).collect_views();
    let messages = step.messages.iter().map(message).collect_views();
    let changes = step.changes.iter().map(|change| change_row(change, step.clock_us)).collect_views();
    let nothing = step.changes.is_empty().then(|| view! { <p class="quiet">{T.nothing_changed}</p> });
    Some(view! {
        <h2 class="card-title">
            <span class="card-step">{(T.step)(index + 1)}</span>
            <Deed action=line.action />
            <span class="card-time" title=span::exact(step.sent_us)>{span::clock(step.sent_us)}</span>
        </h2>
        {remarks}
        {prediction(store, index)}
        {reply(index, step)}
        {course(store, step)}
        {late_answers(store, index)}
        {messages}
        {problems}
        {differences}
        <Notes index />
        {step.script.as_ref().map(script)}
        <h3 class="visually-hidden">{T.changes}</h3>
        {nothing}
        <ul class="changes">{changes}</ul>
    })
}

fn reply(index: usize, step: &Step) -> AnyView {
    if step.spoilt {
        return view! { <p class="reply-box is-error">{T.spoilt}</p> }.into_any();
    }
    let waits = step.wait.as_ref().map(|wait| match wait {
        Wait::Blocked => T.waits_blocked,
        Wait::Running => T.waits_running,
        Wait::Queued => T.waits_queued,
    });
    match (&step.reply, waits) {
        (Some(reply), _) if reply.during == index => {
            let (text, is_error) = (reply.text.clone(), reply.kind.is_failure());
            view! { <ReplyBox step=index during=index text is_error /> }.into_any()
        }
        (reply, Some(waits)) => {
            let later = reply.as_ref().map(|reply| (T.answered_at)(&(reply.during + 1).to_string()));
            view! { <p class="reply-box is-waiting">{waits}" "{later}</p> }.into_any()
        }
        _ => ().into_any(),
    }
}

/// A reply as redis-cli prints it, or in the form that the reader has chosen.
#[component]
fn ReplyBox(step: usize, during: usize, text: String, is_error: bool) -> impl IntoView {
    let store = store();
    let views = RwSignal::new(None::<ReplyViews>);
    Effect::new(move |_| {
        if store.reply_form.get() == ReplyForm::Cli || views.with_untracked(Option::is_some) {
            return;
        }
        leptos::task::spawn_local(async move {
            if let Ok(Answer::Views(answer)) = engine::answer(&Request::Reply { step, during }).await {
                views.try_set(Some(answer));
            }
        });
    });
    let shown = move || {
        let form = store.reply_form.get();
        let other = views.with(|views| {
            views.as_ref().and_then(|views| match form {
                ReplyForm::Cli => None,
                ReplyForm::Resp2 => Some(views.resp2.clone()),
                ReplyForm::Resp3 => Some(views.resp3.clone()),
                ReplyForm::Json => Some(views.json.clone()),
            })
        });
        other.unwrap_or_else(|| text.clone())
    };
    let choose = move |(form, name): (ReplyForm, &'static str)| {
        view! {
            <button
                type="button"
                aria-pressed=move || (store.reply_form.get() == form).to_string()
                on:click=move |_| store.reply_form.set(form)
            >
                {name}
            </button>
        }
    };
    let forms = [
        (ReplyForm::Cli, "redis-cli"),
        (ReplyForm::Resp2, "RESP2"),
        (ReplyForm::Resp3, "RESP3"),
        (ReplyForm::Json, "JSON"),
    ];
    view! {
        <div class="reply-forms" role="group" aria-label=T.reply_form>{forms.map(choose).collect_views()}</div>
        <pre class="reply-box" class:is-error=is_error tabindex="0" role="group" aria-label=T.reply>
            <code>{shown}</code>
        </pre>
    }
}

/// Since when and for whom the step waited, and who ended that; each step leads to itself.
fn course(store: &Store, step: &Step) -> impl IntoView + use<> {
    let Course { held_by, blocked_us, woken_us, woken_by, busy_us, killed_us, killed_by } = step.course;
    let began = step.started_us.filter(|_| held_by.is_some());
    let moments = [
        held_by.map(|by| (step.sent_us, T.course_held, Some(by))),
        began.map(|at| (at, T.course_began, None)),
        blocked_us.map(|at| (at, T.course_blocked, None)),
        woken_us
            .map(|at| (at, if woken_by.is_some() { T.course_woken } else { T.course_timed_out }, woken_by)),
        busy_us.map(|at| (at, T.course_busy, None)),
        killed_us.map(|at| (at, T.course_killed, killed_by)),
        step.ended_us.filter(|_| step.wait.is_some()).map(|at| (at, T.course_ended, None)),
    ];
    let store = *store;
    let moment = move |(at, text, by): (u64, &'static str, Option<usize>)| {
        let by = by.map(|by| {
            let client = store.story.with(|story| story.lines.get(by).and_then(|line| line.action.client()));
            view! { " " <StepLink step=by /> {client.map(|client| view! { " " <ClientBadge client /> })} }
        });
        view! { <li><span class="card-time" title=span::exact(at)>{span::clock(at)}</span><span>{text}{by}</span></li> }
    };
    let moments = moments.into_iter().flatten().map(moment).collect_views();
    (!moments.is_empty()).then(|| view! { <ol class="course">{moments}</ol> })
}

/// Earlier steps whose replies came during this one.
fn late_answers(store: &Store, index: usize) -> impl IntoView + use<> {
    let earlier: Vec<(usize, String, String, bool)> = store.steps.with(|steps| {
        let answered = store.told_late(index).into_iter().filter_map(|earlier| {
            let reply = steps.get(earlier)?.reply.as_ref().filter(|reply| reply.during == index)?;
            let line = store.story.with(|story| story.lines.get(earlier).cloned())?;
            let client = line.action.client()?;
            Some((client, (T.answers_step)(earlier + 1), reply.text.clone(), reply.kind.is_failure()))
        });
        answered.collect()
    });
    let item = |(client, text, reply, is_error): (usize, String, String, bool)| {
        view! {
            <div class="late-answer">
                <p><ClientBadge client />{text}</p>
                <pre class="reply-box" class:is-error=is_error><code>{reply}</code></pre>
            </div>
        }
    };
    earlier.into_iter().map(item).collect_views()
}

fn message((client, text): &(usize, String)) -> impl IntoView + use<> {
    let client = *client;
    view! {
        <div class="late-answer">
            <p><ClientBadge client />{T.receives}</p>
            <pre class="reply-box"><code>{text.clone()}</code></pre>
        </div>
    }
}

fn difference(difference: &Difference) -> impl IntoView + use<> {
    let title = if difference.check.is_some() { T.lesson.check_failed } else { T.differs };
    let check = difference.check.and_then(|check| {
        store().story.with(|story| story.checks.get(check).map(|check| check.command.clone()))
    });
    view! {
        <div class="difference">
            <p class="difference-title">{title}" "<code>{check}</code></p>
            <dl>
                <dt>{T.expected}</dt>
                <dd><pre><code>{difference.expected.clone()}</code></pre></dd>
                <dt>{T.got}</dt>
                <dd><pre><code>{difference.got.clone()}</code></pre></dd>
            </dl>
        </div>
    }
}

fn script(run: &ScriptRun) -> impl IntoView + use<> {
    let title = match run.ended_us {
        Some(ended) => {
            let span = span::short(ended.saturating_sub(run.started_us));
            (T.script_ran)(&span, &run.instructions.to_string())
        }
        None => T.script_runs.to_owned(),
    };
    let call = |(command, reply): &(String, String)| {
        view! { <li><code class="command">{command.clone()}</code><code class="call-reply">{reply.clone()}</code></li> }
    };
    let calls = run.calls.iter().map(call).collect_views();
    let logs = run
        .logs
        .iter()
        .map(|text| view! { <li>{T.logged}" "<code>{text.clone()}</code></li> })
        .collect_views();
    let more = run.calls_total.checked_sub(run.calls.len()).filter(|more| *more > 0);
    let more = more.map(|more| view! { <li class="quiet">{(T.more_calls)(more)}</li> });
    view! {
        <div class="script-run">
            <p class="quiet">{title}</p>
            <ul class="calls">{calls}{more}{logs}</ul>
        </div>
    }
}

fn change_row(change: &Change, now_us: u64) -> impl IntoView + use<> {
    let class = format!("change {}", change_class(change.kind));
    let was = match change.kind {
        ChangeKind::Changed => change.before.as_ref().map(|before| life(before, now_us)),
        _ => None,
    };
    let is = change.after.as_ref().or(change.before.as_ref()).map(|brief| life(brief, now_us));
    let same_value = match (&was, &is) {
        (Some(was), Some(is)) => was.0 == is.0,
        _ => false,
    };
    let was = was.map(|(value, life)| {
        let text = if same_value { life } else { value };
        view! { <span class="was">{T.was}" "<code>{text}</code></span> }
    });
    view! {
        <li class=class>
            <Sign kind=change.kind />
            <code class="key">{change.key.clone()}</code>
            <span class="kind">{announce::kind_name(change.kind)}</span>
            {is.map(|(value, life)| {
                let life = change.kind.leaves_key().then_some(life);
                view! { <code class="change-value">{value}</code><span class="life">{life}</span> }
            })}
            {was}
        </li>
    }
}

pub(super) fn change_class(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "is-added",
        ChangeKind::Changed => "is-changed",
        ChangeKind::Removed | ChangeKind::Evicted => "is-removed",
        ChangeKind::Expired => "is-expired",
    }
}

/// A value, and how long it is to live from now on.
fn life(brief: &Brief, now_us: u64) -> (String, String) {
    let life = match brief.expires_us {
        Some(at) => (T.expires_in)(&announce::left(u64::try_from(at).unwrap_or(0), now_us)),
        None => T.never_expires.to_owned(),
    };
    (brief.value.clone(), life)
}
