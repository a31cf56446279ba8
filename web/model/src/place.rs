//! Where the reader is, as it stands in the fragment of the page's address: `#lock-stolen&step=4`, or
//! `#own.k3x&step=4` for a story of the reader's own, which only this browser knows.

/// A story and a position in it; with neither name it is a new story.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub example: Option<String>,
    /// The id that an own story is kept under.
    pub own: Option<String>,
    pub position: Option<usize>,
    /// What of the page is open beside the story: words with points between them; empty says nothing of it.
    pub view: String,
}

/// Names of examples have no point in them.
const OWN: &str = "own.";

impl Place {
    /// Reads a fragment, with or without its `#`. What is not understood is left out.
    pub fn parse(fragment: &str) -> Self {
        let mut place = Self::default();
        for part in fragment.trim_start_matches('#').split('&') {
            match part.split_once('=') {
                Some(("step", number)) => place.position = number.parse().ok(),
                Some(("view", words)) if is_view(words) => place.view = words.to_owned(),
                None if part.strip_prefix(OWN).is_some_and(is_name) => {
                    place.own = part.strip_prefix(OWN).map(str::to_owned);
                }
                None if is_name(part) => place.example = Some(part.to_owned()),
                _ => {}
            }
        }
        place
    }

    pub fn fragment(&self) -> String {
        let name = match (&self.example, &self.own) {
            (Some(name), _) => name.clone(),
            (None, Some(id)) => format!("{OWN}{id}"),
            (None, None) => String::new(),
        };
        let mut fragment = format!("#{name}");
        if let Some(position) = self.position.filter(|position| *position > 0) {
            fragment += &format!("&step={position}");
        }
        if !self.view.is_empty() {
            fragment += &format!("&view={}", self.view);
        }
        fragment
    }
}

/// Whether a text can be a view in an address.
pub fn is_view(text: &str) -> bool {
    const VIEW_MAX: usize = 32;
    text.len() <= VIEW_MAX && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
}

/// The name of an example is the name of a file: what could lead elsewhere is none.
fn is_name(text: &str) -> bool {
    const NAME_MAX: usize = 64;
    !text.is_empty()
        && text.len() <= NAME_MAX
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fragment: &str, example: Option<&str>, position: Option<usize>) {
        let example = example.map(str::to_owned);
        let place = Place { example, own: None, position, view: String::new() };
        assert_eq!(Place::parse(fragment), place);
    }

    #[test]
    fn a_fragment_names_an_example_and_a_step() {
        check("#01-lock-stolen&step=4", Some("01-lock-stolen"), Some(4));
        check("01-lock-stolen", Some("01-lock-stolen"), None);
        check("#&step=2", None, Some(2));
        check("", None, None);
    }

    #[test]
    fn what_is_no_name_leads_nowhere() {
        check("#../secret", None, None);
        check("#%2e%2e", None, None);
        check("#a&step=-1", Some("a"), None);
        check("#a&step=1&step", Some("step"), Some(1));
        check("#a&step=1&view=<b>", Some("a"), Some(1));
    }

    #[test]
    fn the_place_is_written_as_it_is_read() {
        for fragment in [
            "#01-lock-stolen&step=4",
            "#own.k3x&step=2",
            "#busy",
            "#&step=2",
            "#",
            "#busy&view=edit.debugger",
        ] {
            assert_eq!(Place::parse(fragment).fragment(), fragment);
        }
    }
}
