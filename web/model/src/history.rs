//! What the scenario's text has been, so that no edit, insertion or wrong click loses anything.
//!
//! Texts form a tree: undoing and writing something else begins a branch beside the one that was undone, which stays until it is dropped.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A text's number in its history; later texts have larger ones.
pub type TextId = u32;

/// A tree of texts, and the one that is shown. There is always one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    texts: BTreeMap<TextId, Entry>,
    at: TextId,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    text: String,
    /// None for the first text, and where the one before has become too old.
    before: Option<TextId>,
    /// Where redo leads: of the texts written after this one, the one that was shown last.
    after: Option<TextId>,
}

/// A line of texts that undo and redo do not lead through now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its last text.
    pub end: TextId,
    /// How many texts it alone has.
    pub texts: usize,
    /// The first line, from 1, in which its last text differs from the one that is shown, as the branch has it.
    pub differs: (usize, String),
}

/// The oldest texts go first; one in a branch that was left long ago goes with its branch.
const TEXTS_MAX: usize = 500;

impl History {
    pub fn new(text: String) -> Self {
        Self { texts: BTreeMap::from([(0, Entry { text, before: None, after: None })]), at: 0 }
    }

    pub fn text(&self) -> &str {
        &self.texts[&self.at].text
    }

    /// Puts a new text behind the one that is shown; what was undone becomes a branch.
    pub fn push(&mut self, text: String) {
        if text == self.text() {
            return;
        }
        let id = self.texts.last_key_value().map_or(0, |(last, _)| last + 1);
        self.texts.insert(id, Entry { text, before: Some(self.at), after: None });
        self.lead(self.at, Some(id));
        self.at = id;
        while self.texts.len() > TEXTS_MAX {
            self.forget_oldest();
        }
    }

    pub fn can_undo(&self) -> bool {
        self.texts[&self.at].before.is_some()
    }

    pub fn can_redo(&self) -> bool {
        self.texts[&self.at].after.is_some()
    }

    pub fn undo(&mut self) -> &str {
        self.at = self.texts[&self.at].before.unwrap_or(self.at);
        self.text()
    }

    pub fn redo(&mut self) -> &str {
        self.at = self.texts[&self.at].after.unwrap_or(self.at);
        self.text()
    }

    /// The branches beside the line that undo and redo lead through; the newest first.
    pub fn branches(&self) -> Vec<Branch> {
        let line = self.line();
        let ends = self.texts.iter().rev().filter(|(id, entry)| entry.after.is_none() && !line.contains(id));
        ends.map(|(end, entry)| Branch {
            end: *end,
            texts: self.own_texts(*end).len(),
            differs: first_difference(self.text(), &entry.text),
        })
        .collect()
    }

    /// Goes to a text of any branch, whose line undo and redo then lead through; None if it is no longer there.
    pub fn go(&mut self, id: TextId) -> Option<&str> {
        self.texts.get(&id)?;
        let mut after = id;
        while let Some(before) = self.texts[&after].before {
            self.lead(before, Some(after));
            after = before;
        }
        self.at = id;
        Some(self.text())
    }

    /// Drops the texts that only the branch with this end has. The line that is shown is no branch, and stays.
    pub fn drop_branch(&mut self, end: TextId) {
        if self.texts.contains_key(&end) && !self.line().contains(&end) {
            self.own_texts(end).into_iter().for_each(|id| self.forget(id));
        }
    }

    /// The same history with the oldest texts left out, until all its texts have so many bytes at most or only the shown one is left.
    #[must_use]
    pub fn within(&self, bytes_max: usize) -> Self {
        let mut small = self.clone();
        let bytes = |history: &Self| history.texts.values().map(|entry| entry.text.len()).sum::<usize>();
        while small.texts.len() > 1 && bytes(&small) > bytes_max {
            small.forget_oldest();
        }
        small
    }

    /// Whether everything refers to what is there, as it need not where it was written by hand.
    pub fn is_sound(&self) -> bool {
        let is_there = |id: &Option<TextId>| id.is_none_or(|id| self.texts.contains_key(&id));
        self.texts.contains_key(&self.at)
            && self.texts.iter().all(|(id, entry)| {
                is_there(&entry.before)
                    && is_there(&entry.after)
                    && entry.before.is_none_or(|before| before < *id)
                    && entry.after.is_none_or(|after| after > *id)
            })
    }

    /// The texts that undo and redo lead through.
    fn line(&self) -> Vec<TextId> {
        let follow = |next: fn(&Entry) -> Option<TextId>| {
            std::iter::successors(Some(self.at), move |id| next(&self.texts[id]))
        };
        follow(|entry| entry.before).chain(follow(|entry| entry.after)).collect()
    }

    /// From the end of a branch back to where it left another.
    fn own_texts(&self, end: TextId) -> Vec<TextId> {
        let line = self.line();
        let is_shared = |id: &TextId| {
            line.contains(id) || self.texts.values().filter(|entry| entry.before == Some(*id)).count() > 1
        };
        let back = std::iter::successors(self.texts.get(&end).map(|_| end), |id| self.texts[id].before);
        back.enumerate().take_while(|(nth, id)| *nth == 0 || !is_shared(id)).map(|(_, id)| id).collect()
    }

    fn lead(&mut self, from: TextId, to: Option<TextId>) {
        if let Some(entry) = self.texts.get_mut(&from) {
            entry.after = to;
        }
    }

    fn forget_oldest(&mut self) {
        let oldest = self.texts.keys().copied().find(|id| *id != self.at);
        oldest.into_iter().for_each(|id| self.forget(id));
    }

    /// Takes a text out; those after it then come after the one before it.
    fn forget(&mut self, id: TextId) {
        let Some(gone) = self.texts.remove(&id) else { return };
        for entry in self.texts.values_mut().filter(|entry| entry.before == Some(id)) {
            entry.before = gone.before;
        }
        let Some(before) = gone.before.filter(|before| self.texts[before].after == Some(id)) else { return };
        let newest = self.texts.iter().rev().find(|(_, entry)| entry.before == Some(before));
        let newest = newest.map(|(id, _)| *id);
        self.lead(before, gone.after.or(newest));
    }
}

/// The first line of `other` that `shown` does not have in this place, with its number from 1.
fn first_difference(shown: &str, other: &str) -> (usize, String) {
    let mut shown = shown.lines();
    let differing = other.lines().enumerate().find(|(_, line)| shown.next() != Some(line));
    differing
        .map_or_else(|| (other.lines().count() + 1, String::new()), |(nth, line)| (nth + 1, line.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(texts: &[&str]) -> History {
        let mut history = History::new(texts[0].to_owned());
        texts[1..].iter().for_each(|text| history.push((*text).to_owned()));
        history
    }

    #[test]
    fn what_was_undone_can_be_done_again() {
        let mut history = written(&["a", "b", "b", "c"]);
        assert_eq!([history.undo().to_owned(), history.undo().to_owned()], ["b", "a"]);
        assert!(!history.can_undo() && history.can_redo());
        assert_eq!([history.redo().to_owned(), history.redo().to_owned()], ["b", "c"]);
        assert!(!history.can_redo());
    }

    #[test]
    fn what_was_undone_becomes_a_branch_when_something_else_is_written() {
        let mut history = written(&["A> PING\n", "A> PING\nA> GET b\n", "A> PING\nA> GET c\n"]);
        history.undo();
        history.undo();
        history.push("A> PING\nA> GET d\n".to_owned());
        assert!(!history.can_redo());
        let branches = history.branches();
        let expected = Branch { end: 2, texts: 2, differs: (2, "A> GET c".to_owned()) };
        assert_eq!(branches, [expected]);

        assert_eq!(history.go(branches[0].end), Some("A> PING\nA> GET c\n"));
        assert_eq!([history.undo().to_owned(), history.redo().to_owned()].map(|text| text.len()), [17, 17]);
        assert_eq!(history.branches()[0].differs, (2, "A> GET d".to_owned()));
    }

    #[test]
    fn a_branch_is_there_until_it_is_dropped_and_takes_only_its_own_texts() {
        let mut history = written(&["a", "b", "c"]);
        history.undo();
        history.push("d".to_owned());
        history.undo();
        history.undo();
        history.push("e".to_owned());
        let ends = |history: &History| history.branches().iter().map(|branch| branch.end).collect::<Vec<_>>();
        assert_eq!(ends(&history), [3, 2]);
        history.drop_branch(4);
        assert_eq!(history.text(), "e", "the shown line is no branch");
        history.drop_branch(3);
        assert_eq!(ends(&history), [2]);
        assert_eq!(history.go(2), Some("c"));
        assert_eq!([history.undo().to_owned(), history.undo().to_owned()], ["b", "a"]);
        history.drop_branch(4);
        assert_eq!((ends(&history), history.go(4)), (vec![], None));
        assert!(history.is_sound());
    }

    #[test]
    fn the_oldest_texts_go_first() {
        let mut history = History::new("0".to_owned());
        (1..1_000).for_each(|number| history.push(number.to_string()));
        while history.can_undo() {
            history.undo();
        }
        assert_eq!(history.text(), "500");
        let mut small = history.within(9);
        assert_eq!((small.text(), small.can_undo(), small.is_sound()), ("500", false, true));
        assert_eq!(small.redo(), "998");
        assert_eq!(small.redo(), "999");
    }

    #[test]
    fn a_history_comes_back_as_it_was_kept_and_a_broken_one_is_known() {
        let mut history = written(&["a", "b", "c"]);
        history.undo();
        history.push("d".to_owned());
        let kept = serde_json::to_string(&history).unwrap();
        let back: History = serde_json::from_str(&kept).unwrap();
        assert!(back == history && back.is_sound());
        let broken: History = serde_json::from_str(&kept.replace(r#""at":3"#, r#""at":9"#)).unwrap();
        assert!(!broken.is_sound());
        let looped: History = serde_json::from_str(&kept.replace(r#""before":0"#, r#""before":3"#)).unwrap();
        assert!(!looped.is_sound());
    }
}
