//! Lines that begin with `@`: what they ask of the clock, the server, the clients and whoever checks.

use crate::clock::Micros;
use crate::resp::split_words;
use crate::state::Layout;

use super::super::document::is_script_name;
use super::super::line;
use super::super::logic::{self, Directive, Order};
use super::super::scenario::{Action, Clock, Part, Step, Versions, When};
use super::{Parser, STEPS_MAX, offset};

impl<'a> Parser<'a> {
    pub(super) fn directive(&mut self, number: usize, line: &'a str, directive: &'a str) {
        let directive = directive.trim();
        let (word, rest) = directive.split_at(directive.find(' ').unwrap_or(directive.len()));
        let rest = rest.trim_start();
        let rest_at = offset(rest, line);
        match word {
            "redis" | "cluster" | "config" | "clients" | "cpu" => {
                if self.scenario.steps.is_empty() {
                    self.set_up(number, line, word, (rest, rest_at));
                } else {
                    let message = format!("`@ {word}` must stand before the first step");
                    let help =
                        if word == "config" { "during the story, let a client send CONFIG SET" } else { "" };
                    self.complain(number, line, 0, &message, help);
                }
            }
            "at" | "restart" | "replica" | "failover" => self.happening(number, line, word, (rest, rest_at)),
            _ if word.starts_with('+') => {
                self.happening(number, line, word, (directive[1..].trim(), rest_at))
            }
            "explore" => {
                let clock_free = match rest {
                    "" | "clock pinned" => false,
                    "clock free" => true,
                    _ => {
                        let help = "`@ explore`, or `@ explore clock free` where time may pass at any moment";
                        return self.complain(
                            number,
                            line,
                            rest_at,
                            "expected nothing, or `clock free`",
                            help,
                        );
                    }
                };
                self.begin_part(clock_free);
            }
            _ if word.strip_suffix(':').is_some_and(is_script_name) => {
                self.told(number, line, word.trim_end_matches(':'), rest);
            }
            "predict" => match line::predict(rest) {
                Ok(predict) => self.predict = Some((predict, number)),
                Err(message) => {
                    let help = "e.g. `@ predict Is the lock B's? | yes | * no`, or only the question: then the reply is to be written";
                    self.complain(number, line, rest_at, message, help);
                }
            },
            "finally" => self.check(number, When::Finally, rest),
            "always" => self.check(number, When::Always, rest),
            _ => {
                let message = format!("unknown directive {word:?}");
                let help = "known are redis, clients, config, cluster, cpu, +TIME, at, restart, replica, failover, explore, predict, finally, always, and `A: …` for a client A";
                self.complain(number, line, line.find(word).unwrap_or_default(), &message, help);
            }
        }
    }

    /// The clock moves, or something happens to the server.
    fn happening(&mut self, number: usize, line: &str, word: &str, (rest, rest_at): (&str, usize)) {
        match word {
            "at" => match line::duration(rest) {
                Some(moment) => self.step(number, Action::Clock(Clock::At(moment))),
                None => {
                    self.complain(number, line, rest_at, "expected a time", "e.g. `@ at 2s`, since the start")
                }
            },
            _ if word.starts_with('+') => match line::duration(rest) {
                Some(span) if span > Micros(0) => self.step(number, Action::Clock(Clock::Forward(span))),
                _ => {
                    let at = line.find('+').unwrap_or_default();
                    self.complain(
                        number,
                        line,
                        at,
                        "expected a span of time",
                        "e.g. `@ +400ms`; units: us ms s m h d",
                    );
                }
            },
            "restart" => match rest {
                "" | "with persistence" => self.step(number, Action::Restart { keep_data: true }),
                "without persistence" => self.step(number, Action::Restart { keep_data: false }),
                _ => {
                    let help = "`@ restart`, `@ restart with persistence` or `@ restart without persistence`";
                    self.complain(number, line, rest_at, "unknown way to restart", help);
                }
            },
            "replica" => match rest {
                "" => self.step(number, Action::Replicate { link_up: true }),
                "down" => self.step(number, Action::Replicate { link_up: false }),
                _ => {
                    let help = "`@ replica`, or `@ replica down` for one that has lost its master";
                    self.complain(number, line, rest_at, "unknown kind of replica", help);
                }
            },
            _ => self.step(number, Action::Failover),
        }
    }

    fn set_up(&mut self, number: usize, line: &str, word: &str, (rest, rest_at): (&str, usize)) {
        match word {
            "redis" => match line::versions(rest) {
                Some(Versions { at_least, below }) => {
                    let versions = &mut self.scenario.setup.versions;
                    versions.at_least = at_least.or(versions.at_least);
                    versions.below = below.or(versions.below);
                }
                None => {
                    let help = "e.g. `@ redis 8.2`, `@ redis >= 8.4` or `@ redis >= 7.0 < 7.4`";
                    self.complain(number, line, rest_at, "expected a version", help);
                }
            },
            "cluster" => match Layout::parse(if rest == "on" { "" } else { rest }) {
                Ok(layout) => self.scenario.setup.cluster = Some(layout),
                Err(reason) => {
                    let help =
                        "e.g. `@ cluster`, or `@ cluster 0-8191; 6380: 8192-16383; migrating 42 to 6380`";
                    self.complain(number, line, rest_at, &reason, help);
                }
            },
            "config" => match split_words(rest.as_bytes()).as_deref() {
                Ok([name, value]) => {
                    self.scenario.setup.config.push((name.text.to_text(), value.text.to_text()));
                }
                _ => {
                    let help = "e.g. `@ config busy-reply-threshold 200`; a value of several words in quotes";
                    self.complain(number, line, rest_at, "expected a name and a value", help);
                }
            },
            "cpu" => match line::rate(rest) {
                Some(rate) => self.scenario.setup.instructions_per_micro = Some(rate),
                None => {
                    let help = "instructions of Lua's VM a second, a million or more: e.g. `@ cpu 10M`";
                    self.complain(number, line, rest_at, "expected a rate", help);
                }
            },
            _ => {
                for name in rest.split([' ', ',']).filter(|name| !name.is_empty()) {
                    if is_script_name(name) {
                        self.client(name);
                    } else {
                        let message = format!("{name:?} can't name a client");
                        let help = "use letters, digits, `_` and `-`, a letter first";
                        self.complain(number, line, line.find(name).unwrap_or_default(), &message, help);
                    }
                }
            }
        }
    }

    /// A part ends where the next one begins, or with its fence.
    fn begin_part(&mut self, clock_free: bool) {
        let from = self.scenario.steps.len();
        if let Some(before) = self.scenario.parts.last_mut().filter(|before| before.steps.end == usize::MAX) {
            before.steps.end = from;
        }
        self.scenario.parts.push(Part { steps: from..usize::MAX, clock_free, checks: 0..0 });
    }

    /// `@ A: …`: what a client is told to do by itself.
    fn told(&mut self, number: usize, line: &'a str, name: &str, order: &str) {
        let place = offset(order, line);
        let known = self.scenario.clients.iter().position(|known| known == name);
        // A loop may well begin with a client's first step.
        let begins = order.starts_with("repeat").then(|| self.client(name));
        let Some(client) = known.or(begins) else {
            let message = format!("no client is called {name:?} up to here");
            self.complain(number, line, line.find(name).unwrap_or_default(), &message, "");
            return;
        };
        match logic::directive(order) {
            Err(misread) => {
                self.complain(number, line, place + misread.at, &misread.message, misread.help);
            }
            Ok(Directive::If(condition)) => self.orders.tell(client, Order::If(condition), number),
            Ok(Directive::Stop(condition)) => self.orders.tell(client, Order::Stop(condition), number),
            Ok(Directive::Keep(variable)) => self.keep(number, line, client, &variable),
            Ok(Directive::Repeat { attempts }) => {
                if !self.orders.repeat(client, attempts, self.scenario.steps.len(), number) {
                    let help = "end the one before it with `until …`";
                    self.complain(number, line, place, "a loop of this client is open already", help);
                }
            }
            Ok(Directive::Until(condition)) => {
                match self.orders.until(client, &condition, &self.scenario.steps, number) {
                    None => {
                        let help =
                            "it stands below a line `repeat, at most 3 times` and steps of this client";
                        self.complain(number, line, place, "there is nothing to repeat", help);
                    }
                    Some(copies) if self.scenario.steps.len() + copies.len() > STEPS_MAX => {
                        self.complain(number, line, place, "too many steps", "repeat them less often");
                    }
                    Some(copies) => self.scenario.steps.extend(copies),
                }
            }
        }
    }

    /// A client's newest reply gets a name.
    fn keep(&mut self, number: usize, line: &str, client: usize, variable: &str) {
        let is_own = |step: &&mut Step| step.send().is_some_and(|send| send.client == client);
        let taken = self.scenario.script(variable).is_some();
        match self.scenario.steps.iter_mut().rev().find(is_own) {
            _ if taken => {
                let message = format!("a script is called {variable:?} already");
                self.complain(number, line, line.rfind(variable).unwrap_or_default(), &message, "");
            }
            Some(step) => {
                step.keeps.push(variable.to_owned());
                self.orders.keep(client, variable);
            }
            None => self.complain(number, line, 0, "this client has sent nothing up to here", ""),
        }
    }
}
