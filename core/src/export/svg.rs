//! The lanes as a picture: time runs down, each client has a lane, keys with a time to live have a bar.
//!
//! It needs nothing else: no font, no script, no style from outside. Colours follow the reader's system, or one theme.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::Bytes;
use crate::clock::Micros;
use crate::resp::quote_arg;
use crate::timeline::Seen;

use super::Theme;
use super::played::{ActKind, Played, command, span};
use super::transcript::event;

const LEFT: usize = 84;
const LANE: usize = 248;
const BAR_LANE: usize = 96;
const TOP: usize = 78;
const ROW: usize = 48;
const LINE: usize = 15;
/// Characters of the monospace font in a lane.
const CHARS: usize = 31;
const REPLY_LINES_MAX: usize = 3;
/// Keys that get a bar.
const KEYS_MAX: usize = 4;

const LIGHT: &str = "--paper:#fff;--ink:#1a2130;--soft:#5f697c;--line:#dbdfe6;--chip:#f3f4f6;--error:#b3261e;--expired:#7a3e9d;--busy:#fce8e6;";
const DARK: &str = "--paper:#191d26;--ink:#e7eaf0;--soft:#939db0;--line:#2b3240;--chip:#232936;--error:#ff9a90;--expired:#d6a8f0;--busy:#3d1c1a;";

/// Okabe and Ito's colours, as in the page.
const CLIENTS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#b8ad1b", "#7d8494"];

/// A row of the picture: an act, and where it stands.
struct Row {
    y: usize,
    height: usize,
}

pub(super) fn write(played: &Played<'_>, theme: Theme) -> String {
    let rows = rows(played);
    let bars = bars(played);
    let lanes = played.scenario.clients.len().max(1);
    let keys = bars.keys.len();
    let width = LEFT + lanes * LANE + keys * BAR_LANE + 16;
    let height = rows.last().map_or(TOP, |row| row.y + row.height) + 20;
    let mut svg = String::new();
    head(&mut svg, played, theme, (width, height));
    for (from, to) in played.busy() {
        busy_zone(&mut svg, played, &rows, (from, to), LEFT + lanes * LANE);
    }
    for client in 0..played.scenario.clients.len() {
        lane(&mut svg, played, client, height);
    }
    waits(&mut svg, played, &rows);
    for (index, act) in played.acts.iter().enumerate() {
        act_shape(&mut svg, played, index, &act.kind, &rows[index], LEFT + lanes * LANE);
    }
    bars.draw(&mut svg, played, &rows, LEFT + lanes * LANE);
    svg.push_str("</svg>\n");
    svg
}

/// Where each act stands: as high as its reply needs.
fn rows(played: &Played<'_>) -> Vec<Row> {
    let mut y = TOP;
    let mut place = |height: usize| {
        let row = Row { y, height };
        y += height;
        row
    };
    let height = |kind: &ActKind| match kind {
        ActKind::Send { reply, .. } => {
            ROW - LINE + reply.as_ref().map_or(0, |seen| reply_lines(played, seen).len() * LINE)
        }
        ActKind::Receive { seen, .. } => ROW - 2 * LINE + reply_lines(played, seen).len() * LINE,
        ActKind::Remark(text) => 6 + wrapped(text, remark_chars(played)).len() * LINE,
        ActKind::Skipped(_) => 24,
        _ => 32,
    };
    played.acts.iter().map(|act| place(height(&act.kind))).collect()
}

fn remark_chars(played: &Played<'_>) -> usize {
    played.scenario.clients.len().max(1) * LANE / 7
}

fn reply_lines(played: &Played<'_>, seen: &Seen) -> Vec<String> {
    let text = played.text(seen);
    let lines: Vec<&str> = text.lines().collect();
    let mut shown: Vec<String> =
        lines.iter().take(REPLY_LINES_MAX).map(|line| shortened(line, CHARS)).collect();
    if lines.len() > REPLY_LINES_MAX
        && let Some(last) = shown.last_mut()
    {
        *last = format!("… {} lines", lines.len());
    }
    shown
}

fn head(svg: &mut String, played: &Played<'_>, theme: Theme, (width, height): (usize, usize)) {
    let title = &played.scenario.meta.title;
    let about = &played.scenario.meta.summary;
    let colours = match theme {
        Theme::Light => format!("svg{{{LIGHT}}}"),
        Theme::Dark => format!("svg{{{DARK}}}"),
        Theme::Auto => format!("svg{{{LIGHT}}}@media(prefers-color-scheme:dark){{svg{{{DARK}}}}}"),
    };
    put(
        svg,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-labelledby=\"title about\">\n\
         <title id=\"title\">{}</title>\n<desc id=\"about\">{}</desc>\n\
         <style>{colours}.p{{fill:var(--paper)}}.t{{fill:var(--ink)}}.s{{fill:var(--soft)}}.e{{fill:var(--error)}}.x{{fill:var(--expired)}}\
         .c{{fill:var(--chip);stroke:var(--line)}}.l{{stroke:var(--line)}}.z{{fill:var(--busy)}}\
         text{{font:13px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Liberation Sans\",sans-serif}}\
         .m{{font:12px ui-monospace,\"SF Mono\",Menlo,Consolas,\"Liberation Mono\",monospace}}.b{{font-weight:600}}\
         .h{{paint-order:stroke;stroke:var(--paper);stroke-width:5px;stroke-linejoin:round}}</style>\n\
         <defs><pattern id=\"w\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
         <path d=\"M0 0V6\" stroke=\"var(--soft)\" stroke-width=\"2\"/></pattern></defs>\n\
         <rect class=\"p\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n\
         <text class=\"t b\" x=\"16\" y=\"28\" style=\"font-size:16px\">{}</text>",
            escaped(title),
            escaped(about),
            escaped(title),
        ),
    );
}

fn lane(svg: &mut String, played: &Played<'_>, client: usize, height: usize) {
    let x = LEFT + client * LANE;
    let colour = CLIENTS[client % CLIENTS.len()];
    let name = escaped(&shortened(played.name(client), CHARS));
    let width = 16 + 9 * played.name(client).chars().count().min(CHARS);
    put(
        svg,
        format_args!(
            "<rect x=\"{x}\" y=\"42\" width=\"{width}\" height=\"22\" rx=\"11\" fill=\"{colour}\"/>\
         <text x=\"{}\" y=\"57\" text-anchor=\"middle\" fill=\"#fff\" class=\"b\" style=\"paint-order:stroke\">{name}</text>\
         <path class=\"l\" d=\"M{x} 70V{}\" stroke-width=\"2\"/>",
            x + width / 2,
            height - 12
        ),
    );
}

fn act_shape(svg: &mut String, played: &Played<'_>, index: usize, kind: &ActKind, row: &Row, right: usize) {
    let y = row.y;
    match kind {
        ActKind::Send { client, argv, reply, .. } => {
            time(svg, played, index, y);
            let x = LEFT + client * LANE;
            let colour = CLIENTS[client % CLIENTS.len()];
            let text = shortened(&command(argv), CHARS);
            put(
                svg,
                format_args!(
                    "<g><title>{}</title><rect class=\"c\" x=\"{}\" y=\"{y}\" width=\"{}\" height=\"22\" rx=\"4\"/>\
                 <rect x=\"{x}\" y=\"{y}\" width=\"4\" height=\"22\" fill=\"{colour}\"/>\
                 <text class=\"t m\" x=\"{}\" y=\"{}\">{}</text></g>",
                    escaped(&command(argv)),
                    x,
                    LANE - 12,
                    x + 12,
                    y + 15,
                    escaped(&text)
                ),
            );
            if let Some(seen) = reply {
                replies(svg, played, seen, x + 12, y + 37, "");
            }
        }
        ActKind::Receive { client, seen, .. } => {
            replies(svg, played, seen, LEFT + client * LANE + 12, y + 14, "◂ ");
        }
        ActKind::Remark(text) => {
            for (at, line) in wrapped(text, remark_chars(played)).iter().enumerate() {
                put(
                    svg,
                    format_args!(
                        "<text class=\"s h\" x=\"{}\" y=\"{}\">{}</text>",
                        LEFT + 12,
                        y + 12 + at * LINE,
                        escaped(line)
                    ),
                );
            }
        }
        ActKind::Skipped(text) => put(
            svg,
            format_args!(
                "<text class=\"s m\" x=\"{LEFT}\" y=\"{}\">not sent: {}</text>",
                y + 14,
                escaped(&shortened(text, CHARS))
            ),
        ),
        other => {
            let middle = y + 12;
            let strong = if matches!(other, ActKind::Wait(_)) {
                "stroke-dasharray=\"4 4\""
            } else {
                "stroke-width=\"2\""
            };
            let text = event(other);
            let text = if let ActKind::Wait(time) = other { format!("+{}", span(*time)) } else { text };
            put(
                svg,
                format_args!(
                    "<path class=\"l\" d=\"M{LEFT} {middle}H{}\" {strong}/>\
                 <text class=\"s b\" x=\"16\" y=\"{}\">{}</text>",
                    right - 8,
                    middle + if matches!(other, ActKind::Wait(_)) { 4 } else { 18 },
                    escaped(&text)
                ),
            );
        }
    }
}

/// The moment of a step, where it differs from that of the one before.
fn time(svg: &mut String, played: &Played<'_>, index: usize, y: usize) {
    let at = played.acts[index].at;
    let shown = |at: Micros| span(Micros(at.0 / 1_000 * 1_000));
    let before = played.acts[..index].iter().rev().find(|act| matches!(act.kind, ActKind::Send { .. }));
    if before.is_none_or(|before| shown(before.at) != shown(at)) {
        let text = if at.0 < 1_000 { "0".to_owned() } else { shown(at) };
        put(
            svg,
            format_args!(
                "<text class=\"s\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{text}</text>",
                LEFT - 12,
                y + 15
            ),
        );
    }
}

fn replies(svg: &mut String, played: &Played<'_>, seen: &Seen, x: usize, y: usize, mark: &str) {
    let is_error = match seen {
        Seen::Reply(reply) => reply.is_error(),
        Seen::Closed | Seen::Refused => true,
        Seen::Skipped => false,
    };
    let class = if is_error { "e m" } else { "s m" };
    for (at, line) in reply_lines(played, seen).iter().enumerate() {
        let mark = if at == 0 { mark } else { "" };
        put(
            svg,
            format_args!(
                "<text class=\"{class}\" x=\"{x}\" y=\"{}\" xml:space=\"preserve\">{mark}{}</text>",
                y + at * LINE,
                escaped(line)
            ),
        );
    }
}

/// Hatched spans from a command to its late answer.
fn waits(svg: &mut String, played: &Played<'_>, rows: &[Row]) {
    for (index, act) in played.acts.iter().enumerate() {
        let ActKind::Send { client, reply: None, .. } = &act.kind else { continue };
        let answer = played.acts.iter().position(
            |other| matches!(&other.kind, ActKind::Receive { answers: Some(step), .. } if *step == act.step),
        );
        let end = answer
            .map_or_else(|| rows.last().map_or(0, |row| row.y + row.height), |answer| rows[answer].y + 6);
        put(
            svg,
            format_args!(
                "<rect x=\"{}\" y=\"{}\" width=\"8\" height=\"{}\" fill=\"url(#w)\"><title>{} waits</title></rect>",
                LEFT + client * LANE - 4,
                rows[index].y + 22,
                end.saturating_sub(rows[index].y + 22),
                escaped(played.name(*client))
            ),
        );
    }
}

fn busy_zone(svg: &mut String, played: &Played<'_>, rows: &[Row], (from, to): (usize, usize), right: usize) {
    let first = played.acts.iter().position(|act| act.step > from).unwrap_or(played.acts.len() - 1);
    let last = played.acts.iter().rposition(|act| act.step <= to).unwrap_or(first);
    let (top, bottom) = (rows[first.min(last)].y, rows[last].y + rows[last].height);
    put(
        svg,
        format_args!(
            "<rect class=\"z\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/><text class=\"e b\" x=\"16\" y=\"{}\">BUSY</text>",
            8,
            top.saturating_sub(4),
            right - 16,
            bottom.saturating_sub(top) + 4,
            top + 30
        ),
    );
}

/// When keys had an expiry.
struct Bars {
    keys: Vec<Bytes>,
    /// Key, first and last row, and whether it expired.
    spans: Vec<(usize, usize, usize, bool)>,
}

fn bars(played: &Played<'_>) -> Bars {
    let mut bars = Bars { keys: Vec::new(), spans: Vec::new() };
    // By key: the row where it got its expiry, and that moment.
    let mut open: BTreeMap<Bytes, (usize, Micros)> = BTreeMap::new();
    let mut step_of_row = None;
    for (row, act) in played.acts.iter().enumerate() {
        let is_last_of_step = played.acts.get(row + 1).is_none_or(|next| next.step != act.step);
        if !is_last_of_step {
            continue;
        }
        let first = step_of_row.map_or(0, |last| last + 1);
        step_of_row = Some(row);
        let server = played.timeline.at(act.step);
        let state = server.state();
        let entries = state.dbs.iter().flat_map(|db| db.iter());
        let held: BTreeMap<Bytes, Micros> =
            entries.filter_map(|(key, entry)| Some((key.clone(), entry.expires_at?.micros()))).collect();
        open.retain(|key, (from, until)| {
            if held.get(key) == Some(until) {
                return true;
            }
            let expired = !held.contains_key(key) && *until <= state.now;
            bars.close(key, *from, row, expired);
            false
        });
        for (key, until) in held {
            let begin =
                played.acts[first..=row].iter().position(|act| matches!(act.kind, ActKind::Send { .. }));
            open.entry(key).or_insert((begin.map_or(row, |at| first + at), until));
        }
    }
    let last = played.acts.len().saturating_sub(1);
    open.into_iter().for_each(|(key, (from, _))| bars.close(&key, from, last, false));
    bars
}

impl Bars {
    fn close(&mut self, key: &Bytes, from: usize, to: usize, expired: bool) {
        let place = match self.keys.iter().position(|known| known == key) {
            Some(place) => place,
            None if self.keys.len() < KEYS_MAX => {
                self.keys.push(key.clone());
                self.keys.len() - 1
            }
            None => return,
        };
        self.spans.push((place, from, to, expired));
    }

    fn draw(&self, svg: &mut String, played: &Played<'_>, rows: &[Row], left: usize) {
        for (place, key) in self.keys.iter().enumerate() {
            put(
                svg,
                format_args!(
                    "<text class=\"s m\" x=\"{}\" y=\"57\">{}</text>",
                    left + place * BAR_LANE,
                    escaped(&shortened(&quote_arg(key), 12))
                ),
            );
        }
        for (place, from, to, expired) in &self.spans {
            let x = left + place * BAR_LANE;
            let top = rows[*from].y;
            // An expiry lies within the wait that brought it.
            let is_wait = matches!(played.acts[*to].kind, ActKind::Wait(_));
            let bottom = if is_wait && *expired { rows[*to].y + 12 } else { rows[*to].y + 22 };
            put(
                svg,
                format_args!(
                    "<rect x=\"{x}\" y=\"{top}\" width=\"10\" height=\"{}\" rx=\"3\" fill=\"var(--expired)\" opacity=\"0.45\"><title>{} has a time to live</title></rect>",
                    bottom.saturating_sub(top).max(6),
                    escaped(&quote_arg(&self.keys[*place]))
                ),
            );
            if *expired {
                put(
                    svg,
                    format_args!("<text class=\"x\" x=\"{}\" y=\"{}\">✕ expired</text>", x + 16, bottom + 4),
                );
            }
        }
    }
}

fn put(svg: &mut String, text: std::fmt::Arguments<'_>) {
    svg.write_fmt(text).expect("a string can be written to");
    svg.push('\n');
}

fn shortened(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let kept: String = text.chars().take(chars - 1).collect();
    format!("{kept}…")
}

/// Broken between words.
fn wrapped(text: &str, chars: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is one line at least");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > chars {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML knows no other control characters.
            letter if letter.is_control() && letter != '\n' => safe.push('\u{fffd}'),
            letter => safe.push(letter),
        }
    }
    safe
}
