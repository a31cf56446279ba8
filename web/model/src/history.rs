//! What the scenario's text has been, so that no edit, insertion or wrong click loses anything.

/// Texts one after the other, and the one that is shown. There is always one.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    texts: Vec<String>,
    at: usize,
}

/// The oldest texts go first.
const TEXTS_MAX: usize = 200;

impl History {
    pub fn new(text: String) -> Self {
        Self { texts: vec![text], at: 0 }
    }

    pub fn text(&self) -> &str {
        &self.texts[self.at]
    }

    /// Puts a new text behind the one that is shown; what was undone is gone.
    pub fn push(&mut self, text: String) {
        if text == self.text() {
            return;
        }
        self.texts.truncate(self.at + 1);
        self.texts.push(text);
        if self.texts.len() > TEXTS_MAX {
            self.texts.remove(0);
        }
        self.at = self.texts.len() - 1;
    }

    pub fn can_undo(&self) -> bool {
        self.at > 0
    }

    pub fn can_redo(&self) -> bool {
        self.at + 1 < self.texts.len()
    }

    pub fn undo(&mut self) -> &str {
        self.at = self.at.saturating_sub(1);
        self.text()
    }

    pub fn redo(&mut self) -> &str {
        self.at = (self.at + 1).min(self.texts.len() - 1);
        self.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_undone_can_be_done_again_until_something_new_is_written() {
        let mut history = History::new("a".to_owned());
        history.push("b".to_owned());
        history.push("b".to_owned());
        history.push("c".to_owned());
        assert_eq!([history.undo().to_owned(), history.undo().to_owned()], ["b", "a"]);
        assert!(!history.can_undo() && history.can_redo());
        assert_eq!(history.redo(), "b");
        history.push("d".to_owned());
        assert!(!history.can_redo());
        assert_eq!(history.undo(), "b");
    }

    #[test]
    fn the_oldest_texts_go_first() {
        let mut history = History::new("0".to_owned());
        (1..1_000).for_each(|number| history.push(number.to_string()));
        while history.can_undo() {
            history.undo();
        }
        assert_eq!(history.text(), "800");
    }
}
