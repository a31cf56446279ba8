//! What goes wrong in a script or a story.

use playground_lint::{Finding, Level, lint_scenario, lint_script};
use serde_json::{Value, json};

/// One file that has been looked at.
pub struct Linted {
    pub file: String,
    pub findings: Vec<Finding>,
    /// Places that could not be read, and why.
    pub mistakes: Vec<(usize, usize, String)>,
    /// Nothing of the file could be looked at.
    pub unusable: bool,
}

/// Looks at a script where the file's name ends in `.lua`, else at a story.
pub fn lint(file: &str, text: &str) -> Linted {
    let file = file.to_owned();
    if file.ends_with(".lua") {
        return match lint_script(text) {
            Ok(findings) => Linted { file, findings, mistakes: Vec::new(), unusable: false },
            Err(mistakes) => {
                let mistakes =
                    mistakes.into_iter().map(|mistake| (mistake.line, mistake.column, mistake.message));
                Linted { file, findings: Vec::new(), mistakes: mistakes.collect(), unusable: true }
            }
        };
    }
    match lint_scenario(text) {
        Ok(linted) => {
            let mistakes =
                linted.unread.into_iter().map(|(line, message)| (line, 1, format!("no Lua: {message}")));
            Linted { file, findings: linted.findings, mistakes: mistakes.collect(), unusable: false }
        }
        Err(mistakes) => {
            let mistakes =
                mistakes.into_iter().map(|mistake| (mistake.line, mistake.column, mistake.message));
            Linted { file, findings: Vec::new(), mistakes: mistakes.collect(), unusable: true }
        }
    }
}

impl Linted {
    /// Without what is only a hint.
    pub fn drop_hints(&mut self) {
        self.findings.retain(|finding| finding.rule.level != Level::Hint);
    }
    pub fn json(&self) -> Value {
        let finding = |finding: &Finding| {
            json!({
                "rule": finding.rule.id,
                "level": finding.rule.level.name(),
                "line": finding.line,
                "column": finding.column,
                "end_line": finding.end_line,
                "end_column": finding.end_column,
                "message": finding.message,
                "why": finding.rule.why,
                "better": finding.rule.better,
            })
        };
        let mistake = |(line, column, message): &(usize, usize, String)| json!({ "line": line, "column": column, "message": message });
        json!({
            "file": self.file,
            "findings": self.findings.iter().map(finding).collect::<Vec<_>>(),
            "mistakes": self.mistakes.iter().map(mistake).collect::<Vec<_>>(),
        })
    }
}
