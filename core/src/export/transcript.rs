//! What the clients typed and saw. The shell script prints the same, so that the two can be compared.

use super::played::{ActKind, Played, command, span};

pub(super) fn write(played: &Played<'_>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for act in &played.acts {
        match &act.kind {
            ActKind::Remark(remark) => lines.push(format!("# {remark}")),
            ActKind::Send { client, argv, reply, .. } => {
                lines.push(format!("{}> {}", played.name(*client), command(argv)));
                lines.extend(reply.iter().map(|seen| played.text(seen)));
            }
            ActKind::Receive { client, seen, .. } => {
                lines.push(received(played.name(*client), &played.text(seen)));
            }
            ActKind::Skipped(text) => lines.push(format!("# not sent: {text}")),
            other => lines.push(format!("# {}", event(other))),
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// `A< …`, further lines below the first one.
pub(super) fn received(name: &str, text: &str) -> String {
    let label = format!("{name}< ");
    let indent = format!("\n{:width$}", "", width = label.len());
    format!("{label}{}", text.replace('\n', &indent))
}

/// What happens to the clock or the server, in a few words.
pub(super) fn event(kind: &ActKind) -> String {
    match kind {
        ActKind::Wait(time) => format!("{} later", span(*time)),
        ActKind::Restart { keep_data: true } => {
            "the server is restarted; data and functions come back".to_owned()
        }
        ActKind::Restart { keep_data: false } => "the server is restarted and comes back empty".to_owned(),
        ActKind::Failover => "a replica takes over".to_owned(),
        ActKind::Replicate { link_up: true } => "the server becomes a replica".to_owned(),
        ActKind::Replicate { link_up: false } => {
            "the server becomes a replica without a link to its master".to_owned()
        }
        _ => String::new(),
    }
}
