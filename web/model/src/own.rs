//! A story that is not one of the page's: what it is called, and what one begins with.

/// The title in the front matter, else the first heading, else the first step.
pub fn title(text: &str) -> Option<String> {
    let front = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---"));
    let (front, body) = front.map_or(("", text), |(front, body)| (front, body));
    let named = front.lines().find_map(|line| line.strip_prefix("title:"));
    let heading = || {
        let mut in_fence = false;
        body.lines().find_map(|line| {
            in_fence ^= line.trim_start().starts_with("```");
            line.strip_prefix("# ").filter(|_| !in_fence)
        })
    };
    let step = || body.lines().find(|line| line.split_once("> ").is_some_and(|(client, _)| is_name(client)));
    let title = named.or_else(heading).or_else(step)?.trim().trim_matches('"');
    (!title.is_empty()).then(|| title.chars().take(TITLE_CHARS_MAX).collect())
}

const TITLE_CHARS_MAX: usize = 60;

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .trim_end_matches('>')
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// A name for a file of a story.
pub fn file_name(text: &str) -> String {
    let title = title(text).unwrap_or_default().to_lowercase();
    let words: Vec<&str> =
        title.split(|mark: char| !mark.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(40).collect();
    if name.is_empty() { "story.md".to_owned() } else { format!("{name}.md") }
}

/// A story that runs a script: one call with as many keys and arguments as the script asks for, and values that
/// a script of this kind can work with.
pub fn story_of_script(script: &str) -> String {
    let script = script.trim_matches('\n').trim_end();
    let (keys, arguments) = (highest(script, "KEYS"), highest(script, "ARGV"));
    let key = |number: usize| if keys == 1 { "mykey".to_owned() } else { format!("{{my}}key{number}") };
    let mut call = format!("EVAL $script {keys}");
    (1..=keys).for_each(|number| call += &format!(" {}", key(number)));
    (1..=arguments).for_each(|number| call += &format!(" {}", argument(script, number)));
    format!(
        "---\ntitle: A script of mine\n---\nThe script:\n\n```lua script\n{script}\n```\n\nTwo clients run it one after the \
         other. Change the keys and the arguments to those you expect.\n\n```redis\nA> {call}\nB> {call}\n```\n"
    )
}

/// Whether a text is rather a script than a story.
pub fn is_script(text: &str) -> bool {
    let calls = ["redis.call", "redis.pcall", "KEYS[", "ARGV["].iter().any(|word| text.contains(word));
    calls
        && !text.contains("```")
        && !text.lines().any(|line| line.split_once("> ").is_some_and(|(client, _)| is_name(client)))
}

/// The largest number that a script asks an array for; what it computes cannot be known.
fn highest(script: &str, array: &str) -> usize {
    const MOST: usize = 20;
    let places = script.match_indices(array).map(|(at, _)| &script[at + array.len()..]);
    let number = |rest: &str| {
        let inside = rest.trim_start().strip_prefix('[')?.split(']').next()?;
        inside.trim().parse::<usize>().ok()
    };
    places.filter_map(number).filter(|number| *number <= MOST).max().unwrap_or(0)
}

/// A number where the script reads one, the time where it seems to be one, else a word.
fn argument(script: &str, number: usize) -> String {
    let place = format!("ARGV[{number}]");
    let line = script.lines().find(|line| line.contains(&place)).unwrap_or_default();
    let lower = line.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["now", "timestamp"]) {
        "1767225600".to_owned()
    } else if has(&["ttl", "expire", "window", "'ex'", "\"ex\"", "second"]) {
        "60".to_owned()
    } else if has(&["'px'", "\"px\"", "milli"]) {
        "30000".to_owned()
    } else if has(&["limit", "max", "capacity"]) {
        "5".to_owned()
    } else if has(&["tonumber", "incrby", "decrby", "amount", "count", "rate", "cost"]) {
        "1".to_owned()
    } else if number == 1 {
        "value".to_owned()
    } else {
        format!("value{number}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_called_by_what_it_says_of_itself() {
        let titles = [
            "---\ntitle: \"Two words\"\n---\n# Other\n",
            "Text\n```sh\n# no\n```\n# A heading\n",
            "A> SET lock A\nOK\n",
            "",
        ];
        let expected = [Some("Two words"), Some("A heading"), Some("A> SET lock A"), None];
        assert_eq!(titles.map(title), expected.map(|title| title.map(str::to_owned)));
        assert_eq!(titles.map(file_name), ["two-words.md", "a-heading.md", "a-set-lock-a.md", "story.md"]);
    }

    #[test]
    fn a_script_is_called_with_what_it_asks_for() {
        let script = "local limit = tonumber(ARGV[1])\nlocal n = redis.call('INCR', KEYS[1])\nif n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end\nreturn n <= limit";
        assert!(is_script(script));
        let story = story_of_script(script);
        assert!(story.contains("A> EVAL $script 1 mykey 5 60\n"), "{story}");
        assert!(!is_script(&story) && !is_script("A> EVAL \"return KEYS[1]\" 1 k"));
        assert!(story_of_script("return 1").contains("A> EVAL $script 0\n"));
        assert!(
            story_of_script("return KEYS[1] .. KEYS[ 2 ]").contains("EVAL $script 2 {my}key1 {my}key2\n")
        );
    }
}
