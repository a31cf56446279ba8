//! A terminal for each client, as redis-cli shows it: what it has sent and received so far, and a prompt.

use leptos::html;
use leptos::prelude::*;
use playground_model::offer;
use playground_model::story::Action;

use super::client_class;
use super::each::Each;
use super::server::ClientState;
use crate::browser::{self, When};
use crate::store::{Store, store};
use crate::strings::T;

#[component]
pub(super) fn Terminals() -> impl IntoView {
    let store = store();
    // Clients that have not sent anything yet: they are in no story.
    let guests = RwSignal::new(0_usize);
    let count = Memo::new(move |_| {
        let known = store.story.with(|story| story.clients.len());
        (known + guests.get()).max(1)
    });
    Effect::new(move |before: Option<usize>| {
        let known = store.story.with(|story| story.clients.len());
        if before.is_some_and(|before| known > before) {
            guests.set(0);
        }
        known
    });
    let clients = move || (0..count.get()).collect::<Vec<_>>();
    view! {
        <div class="terminals">
            <h2 class="visually-hidden">{T.terminals}</h2>
            <div class="terminal-grid">
                <Each each=clients key=|client| *client let:client>
                    <Terminal client />
                </Each>
            </div>
            <button
                type="button"
                class="quiet-button add-client"
                disabled=move || { guests.get() > 0 || count.get() >= 8 }
                on:click=move |_| guests.update(|guests| *guests += 1)
            >
                "+ "
                {T.new_client}
            </button>
        </div>
    }
}

/// The name of a client, known or not: the first letter that is free.
fn name_of(store: &Store, client: usize) -> String {
    store.story.with(|story| match story.clients.get(client) {
        Some(name) => name.clone(),
        None => {
            let free = ('A'..='Z').map(String::from).find(|name| !story.clients.contains(name));
            free.unwrap_or_else(|| format!("client{}", client + 1))
        }
    })
}

#[component]
fn Terminal(client: usize) -> impl IntoView {
    let store = store();
    let screen = NodeRef::<html::Div>::new();
    let name = Memo::new(move |_| name_of(&store, client));
    let state = Memo::new(move |_| store.frame.with(|frame| frame.clients.get(client).cloned()));
    let states = move || state.get().map(|client| view! { <ClientState client /> });
    let shown = RwSignal::new(COMMANDS);
    let own = Memo::new(move |_| own_steps(&store, client));
    let lines = Memo::new(move |_| own.with(|own| lines(&store, client, own, shown.get())));
    let earlier = Memo::new(move |_| lines.with(|(earlier, _)| *earlier));
    // The screen counts from its end, as the stylesheet says, so new lines are in view, unless somebody has scrolled away from there.
    let is_away = StoredValue::new(false);
    let look = move |_| {
        if let Some(screen) = screen.get_untracked() {
            is_away.set_value(screen.scroll_top() != 0);
        }
    };
    Effect::new(move |_| {
        lines.track();
        if is_away.get_value() {
            let scroll = move || {
                screen.try_get_untracked().flatten().into_iter().for_each(|screen| screen.set_scroll_top(0))
            };
            browser::with_frame(When::Next, || {}, scroll);
        }
    });
    view! {
        <div class=format!("terminal {}", client_class(client))>
            <h3 class="terminal-title">
                <span class=format!("badge {}", client_class(client))>{name}</span>
                {states}
            </h3>
            <div class="screen" node_ref=screen on:scroll=look tabindex="0" role="log" aria-label=move || format!("{} {}", T.terminals, name.get())>
                <div>
                    <Show when=move || { earlier.get() > 0 }>
                        <button type="button" class="quiet" on:click=move |_| shown.update(|shown| *shown += COMMANDS_MORE)>
                            {move || (T.earlier_lines)(earlier.get())}
                        </button>
                    </Show>
                    <Each each=move || lines.with(|(_, lines)| lines.clone()) key=Line::clone let:line>
                        {line_view(name, line)}
                    </Each>
                </div>
            </div>
            <Prompt client name />
        </div>
    }
}

/// A line of a step; the number tells lines of one step apart. A line that is there already stays in the document as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Line {
    Sent(usize, String),
    /// Text, and whether it is an error.
    Received(usize, usize, String, bool),
    Waiting(usize),
}

/// A terminal shows so many commands of its client, the last ones; and so many more at a time for those who ask.
const COMMANDS: usize = 12;
const COMMANDS_MORE: usize = 100;

/// The steps in which a client sends something.
fn own_steps(store: &Store, client: usize) -> Vec<usize> {
    store.story.with(|story| {
        let is_own = |index: &usize| story.lines[*index].action.client() == Some(client);
        (0..story.lines.len()).filter(is_own).collect()
    })
}

/// What stands in the terminal at the reader's position: how many commands are left out, and the lines of the last ones.
fn lines(store: &Store, client: usize, own: &[usize], shown: usize) -> (usize, Vec<Line>) {
    let position = store.position.get();
    let story = store.story.get();
    store.steps.with(|steps| {
        let mut lines = Vec::new();
        let sent = own.partition_point(|index| *index < position.min(steps.len()));
        let earlier = sent.saturating_sub(shown);
        let begin = if earlier == 0 { 0 } else { own[earlier] };
        for (index, step) in steps.iter().enumerate().take(position).skip(begin) {
            if let Some(Action::Send { client: sender, command, .. }) =
                story.lines.get(index).map(|line| &line.action)
                && *sender == client
            {
                lines.push(Line::Sent(index, command.clone()));
                match &step.reply {
                    _ if step.spoilt => lines.push(Line::Received(index, 0, "✕".to_owned(), true)),
                    Some(reply) if reply.during < position => {
                        let is_error = reply.kind.is_failure();
                        lines.push(Line::Received(index, 0, reply.text.clone(), is_error));
                    }
                    _ if step.wait.is_some() => lines.push(Line::Waiting(index)),
                    _ => {}
                }
            }
            let own = step.messages.iter().enumerate().filter(|(_, (receiver, _))| *receiver == client);
            lines.extend(own.map(|(at, (_, text))| Line::Received(index, at + 1, text.clone(), false)));
        }
        (earlier, lines)
    })
}

fn line_view(name: Memo<String>, line: Line) -> AnyView {
    match line {
        Line::Sent(_, command) => {
            view! { <div class="sent"><span class="prompt">{move || format!("{}> ", name.get())}</span>{command}</div> }
                .into_any()
        }
        Line::Received(_, _, text, is_error) => {
            view! { <div class="received" class:is-error=is_error>{text}</div> }.into_any()
        }
        Line::Waiting(_) => view! { <div class="received is-waiting">{T.waiting}"…"</div> }.into_any(),
    }
}

/// Where a command is typed; the arrows bring back what this client has sent before.
#[component]
fn Prompt(client: usize, name: Memo<String>) -> impl IntoView {
    let store = store();
    let input = NodeRef::<html::Input>::new();
    let refusal = RwSignal::new(String::new());
    // How far back in what was sent; 0 is the new command.
    let recalled = RwSignal::new(0_usize);
    let completion = Completion::new(store);
    let send = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(field) = input.get_untracked() else { return };
        let command = field.value();
        if command.trim().is_empty() {
            return;
        }
        let sender = name.get_untracked();
        leptos::task::spawn_local(async move {
            match store.type_command(sender, command).await {
                Ok(()) => {
                    field.set_value("");
                    completion.type_line("");
                    refusal.set(String::new());
                    recalled.set(0);
                }
                Err(text) => refusal.set(text),
            }
        });
    };
    let recall = move |event: web_sys::KeyboardEvent| {
        let step: isize = match event.key().as_str() {
            "ArrowUp" => 1,
            "ArrowDown" => -1,
            _ => return,
        };
        event.prevent_default();
        let sent = sent_before(&store, client);
        let back = recalled.get_untracked().saturating_add_signed(step).min(sent.len());
        recalled.set(back);
        if let Some(field) = input.get_untracked() {
            field.set_value(back.checked_sub(1).and_then(|back| sent.get(back)).map_or("", String::as_str));
        }
    };
    let press = move |event: web_sys::KeyboardEvent| {
        let Some(field) = input.get_untracked() else { return };
        match event.key().as_str() {
            "Tab" if !event.shift_key() && !event.ctrl_key() => {
                if let Some(line) = completion.next(&field.value()) {
                    field.set_value(&line);
                    event.prevent_default();
                }
            }
            _ => recall(event),
        }
    };
    let mode = move || {
        store.frame.with(|frame| {
            let state = frame.clients.get(client);
            let db = state.filter(|state| state.db != 0).map(|state| format!("[{}]", state.db));
            let tx = state.filter(|state| state.queued.is_some()).map(|_| "(TX)");
            format!("{}{}", db.unwrap_or_default(), tx.unwrap_or_default())
        })
    };
    view! {
        <form class="prompt-line" on:submit=send>
            <label class="prompt">
                <span class="visually-hidden">{move || (T.prompt)(&name.get())}</span>
                <span aria-hidden="true">{move || format!("{}{}>", name.get(), mode())}</span>
            </label>
            <input
                type="text"
                node_ref=input
                aria-label=move || (T.prompt)(&name.get())
                placeholder=T.prompt_hint
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                enterkeyhint="send"
                aria-describedby=move || format!("hint-{client}")
                on:keydown=press
                on:focus=move |_| completion.learn()
                on:input=move |event| {
                    refusal.set(String::new());
                    completion.learn();
                    completion.type_line(&event_target_value(&event));
                }
            />
        </form>
        <p class="prompt-help" id=format!("hint-{client}") aria-live="polite">{move || completion.help()}</p>
        {move || {
            let text = refusal.get();
            (!text.is_empty()).then(|| view! { <p class="refusal" role="alert">{text}</p> })
        }}
    }
}

/// What Tab makes of a typed line: one line after the other, and at their end what was typed. Tab goes on from the prompt then, as
/// it does from an empty one.
#[derive(Clone, Copy)]
struct Completion {
    store: Store,
    /// As it was typed.
    typed: RwSignal<String>,
    lines: RwSignal<Vec<String>>,
    /// How many of the lines Tab has shown.
    shown: RwSignal<usize>,
}

/// So many of what a line can become are told of.
const OFFERS: usize = 8;

impl Completion {
    fn new(store: Store) -> Self {
        let (typed, lines) = (RwSignal::new(String::new()), RwSignal::new(Vec::new()));
        Self { store, typed, lines, shown: RwSignal::new(0) }
    }

    /// Asks for the commands; an engine that is not there yet is not called for by looking at a prompt.
    fn learn(&self) {
        let is_wanted = self.store.has_engine.get_untracked() || !self.typed.with_untracked(String::is_empty);
        if is_wanted && self.store.commands.with_untracked(|commands| commands.is_empty()) {
            self.store.learn_commands();
        }
    }

    fn type_line(&self, line: &str) {
        self.typed.set(line.to_owned());
        self.shown.set(0);
        self.lines.set(Vec::new());
    }

    /// The line after this one; None where Tab is to go on.
    fn next(&self, line: &str) -> Option<String> {
        let shown = self.shown.get_untracked();
        if shown == 0 {
            self.typed.set(line.to_owned());
            self.lines.set(self.find(line));
        }
        let count = self.lines.with_untracked(Vec::len);
        if count == 0 || shown > count {
            return None;
        }
        self.shown.set(shown + 1);
        let next = self.lines.with_untracked(|lines| lines.get(shown).cloned());
        Some(next.unwrap_or_else(|| self.typed.get_untracked()))
    }

    fn find(&self, line: &str) -> Vec<String> {
        if line.trim().is_empty() {
            return Vec::new();
        }
        let keys = self
            .store
            .frame
            .with_untracked(|frame| frame.rows.iter().map(|row| row.key.clone()).collect::<Vec<_>>());
        let scripts = self.store.story.with_untracked(|story| {
            let names = story.scripts.iter().map(|script| &script.name);
            names.flat_map(|name| [format!("${name}"), format!("${name}.sha")]).collect::<Vec<_>>()
        });
        let words: Vec<String> = keys.into_iter().chain(scripts).collect();
        self.store.commands.with_untracked(|commands| offer::lines(commands, &words, line))
    }

    /// What the typed line can become, or how its command is written.
    fn help(&self) -> String {
        let typed = self.typed.get();
        let lines = self.lines.get();
        self.store.commands.with(|commands| {
            let names = offer::completions(commands, &typed);
            let offers: Vec<&str> = if lines.is_empty() {
                names.iter().map(|command| command.name.as_str()).collect()
            } else {
                lines.iter().map(|line| line.trim_end()).collect()
            };
            if offers.len() > 1 {
                let more = if offers.len() > OFFERS { " …" } else { "" };
                let last = |line: &&str| line.rsplit(' ').next().unwrap_or_default().to_owned();
                return offers.iter().take(OFFERS).map(last).collect::<Vec<_>>().join("  ") + more;
            }
            let line = offers.first().copied().unwrap_or(&typed);
            offer::command_of(commands, line).map(|command| command.syntax.clone()).unwrap_or_default()
        })
    }
}

/// The newest first, each once.
fn sent_before(store: &Store, client: usize) -> Vec<String> {
    let mut sent: Vec<String> = Vec::new();
    store.story.with_untracked(|story| {
        for line in story.lines.iter().rev() {
            if let Action::Send { client: sender, command, .. } = &line.action
                && *sender == client
                && !sent.contains(command)
            {
                sent.push(command.clone());
            }
        }
    });
    sent
}
