//! The timeline turned upright: a row for each step, and in each row what every client is doing.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use crate::step::Step;
use crate::story::Line;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rail {
    Idle,
    /// Acts in this step.
    Acts,
    /// Acts, and its reply comes later or never.
    ActsAndWaits,
    /// Waits for the reply to an earlier step.
    Waits,
    /// Receives in this step what it has waited for.
    Answered,
}

/// For each step that was run, the rails of all clients.
pub fn rails(lines: &[Line], steps: &[impl Borrow<Step>], clients: usize) -> Vec<Vec<Rail>> {
    let steps: Vec<&Step> = steps.iter().map(Borrow::borrow).collect();
    // By step: who receives in it what an earlier step asked for.
    let mut answers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, (step, line)) in steps.iter().zip(lines).enumerate() {
        if let (Some(reply), Some(client)) = (&step.reply, line.action.client())
            && reply.during > index
        {
            answers.entry(reply.during).or_default().push(client);
        }
    }
    // By client: how many of its steps are unanswered.
    let mut open = vec![0_usize; clients];
    let mut rows = Vec::with_capacity(steps.len());
    for (index, line) in lines.iter().enumerate().take(steps.len()) {
        let mut row: Vec<Rail> =
            open.iter().map(|count| if *count > 0 { Rail::Waits } else { Rail::Idle }).collect();
        for &client in answers.get(&index).into_iter().flatten() {
            open[client] = open[client].saturating_sub(1);
            row[client] = Rail::Answered;
        }
        if let Some(client) = line.action.client() {
            let answered = steps[index].reply.as_ref().is_some_and(|reply| reply.during == index);
            let waits = steps[index].wait.is_some() && !answered;
            open[client] += usize::from(waits);
            row[client] = if waits { Rail::ActsAndWaits } else { Rail::Acts };
        }
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::{Reply, ReplyKind, Wait};
    use crate::story::Action;

    fn line(client: usize) -> Line {
        let action = Action::Send { client, command: "PING".to_owned(), script: None };
        Line { line: 1, action, remarks: Vec::new(), predict: None }
    }

    fn step(during: Option<usize>, waits: bool) -> Step {
        let reply = during.map(|during| Reply { text: "OK".to_owned(), kind: ReplyKind::Value, during });
        Step { reply, wait: waits.then_some(Wait::Blocked), ..Step::default() }
    }

    #[test]
    fn a_client_waits_from_its_step_to_the_one_that_answers_it() {
        let lines = [line(0), line(1), line(1), line(0)];
        let steps = [step(Some(2), true), step(Some(1), false), step(Some(2), false), step(None, true)];
        assert_eq!(
            rails(&lines, &steps, 2),
            [
                [Rail::ActsAndWaits, Rail::Idle],
                [Rail::Waits, Rail::Acts],
                [Rail::Answered, Rail::Acts],
                [Rail::ActsAndWaits, Rail::Idle],
            ]
        );
    }
}
