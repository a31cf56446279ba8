//! A story in which EVALSHA or EVALSHA_RO is sent in a pipeline.

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "evalsha-in-pipeline",
    level: Level::Warning,
    finds: "A story in which EVALSHA or EVALSHA_RO is sent in a pipeline.",
    why: "If the script is not cached, NOSCRIPT arrives when the commands behind it have run already: too late to fall back.",
    better: "Use EVAL in pipelines, or SCRIPT LOAD first and treat NOSCRIPT as an error of the whole.",
    limits: "A pipeline whose first command is SCRIPT LOAD of the same script is let off only if it stands in the same story.",
    check: None,
};
