//! A story in which EVALSHA is sent and neither an EVAL nor a SCRIPT LOAD of the same text stands anywhere.

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "evalsha-without-fallback",
    level: Level::Warning,
    finds: "A story in which EVALSHA is sent and neither an EVAL nor a SCRIPT LOAD of the same text stands anywhere.",
    why: "The script cache is emptied by a restart, a failover and SCRIPT FLUSH. A client that has no fallback then fails until somebody loads the script again.",
    better: "When NOSCRIPT comes back, send EVAL with the text; or use functions, which stay.",
    limits: "It is enough that some client of the story sends the text somewhere.",
    check: None,
};
