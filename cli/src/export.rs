//! `playground export`: a story in the forms that others take.

use std::process::ExitCode;

use lexopt::{Arg, ValueExt as _};
use playground_core::export::{Form, Theme, export};
use playground_core::profile::Version;
use playground_core::timeline::{Timeline, parse};
use playground_report::needed_versions;

use crate::Unusable;
use crate::output::show;
use crate::run::read;
use crate::serve::version;

#[derive(Default)]
struct Settings {
    file: Option<String>,
    form: Option<String>,
    theme: Theme,
    version: Option<Version>,
}

pub(crate) fn run(args: lexopt::Parser) -> Result<ExitCode, Unusable> {
    let settings = settings(args)?;
    let file = settings.file.ok_or_else(|| {
        Unusable("export: which file? e.g. playground export examples/01-lock-stolen.md --as svg".to_owned())
    })?;
    let name = settings.form.unwrap_or_else(|| "transcript".to_owned());
    let form = Form::parse(&name, settings.theme)
        .ok_or_else(|| Unusable(format!("--as {name}: there are {}", Form::NAMES.join(", "))))?;
    let text = read(&file)?;
    let (scenario, mistakes) = parse(&text);
    if !mistakes.is_empty() {
        let lines: Vec<String> = mistakes.iter().map(|mistake| format!("{file}:{mistake}")).collect();
        return Err(Unusable(lines.join("\n")));
    }
    let version = scenario.setup.versions.choose(settings.version);
    let version = version.ok_or_else(|| Unusable(format!("{file}: {}", needed_versions(&scenario))))?;
    let timeline =
        Timeline::run(scenario, version).map_err(|reason| Unusable(format!("{file}: {reason}")))?;
    show!("{}", export(&text, &timeline, form));
    Ok(ExitCode::SUCCESS)
}

fn settings(mut args: lexopt::Parser) -> Result<Settings, Unusable> {
    let mut settings = Settings::default();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("as") => settings.form = Some(args.value()?.string()?),
            Arg::Long("theme") => {
                let name = args.value()?.string()?;
                settings.theme = Theme::parse(&name)
                    .ok_or_else(|| Unusable(format!("--theme {name}: there are auto, light and dark")))?;
            }
            Arg::Long("redis-version") => settings.version = Some(version(&args.value()?.string()?)?),
            Arg::Value(file) if settings.file.is_none() => settings.file = Some(file.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(settings)
}
