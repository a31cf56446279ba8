//! LOLWUT: a maze of one line of code, another one each time.

use crate::Bytes;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;

use super::args;
use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Flags, Group, Shape};

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "lolwut",
    arity: -1,
    flags: Flags::READONLY.or(Flags::FAST),
    since: (5, 0, 0),
    group: Group::Server,
    summary: "Draws something and tells the version.",
    syntax: "LOLWUT [VERSION version] [width [height]]",
    reply: Shape::Any,
    handler: lolwut,
    ..CommandSpec::BASE
}];

fn lolwut(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    const WIDTH: (i64, i64) = (40, 160);
    const HEIGHT: (i64, i64) = (8, 64);
    let version = ctx.version();
    let mut rest = args::Cursor::new(&argv[1..]);
    // The release's own picture, or that of another one.
    let asked = match rest.remaining() {
        [word, number, ..] if args::is(word, "version") => {
            rest = args::Cursor::new(&argv[3..]);
            args::int(number)?
        }
        _ => version.full().split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0),
    };
    let has_picture = matches!(asked, 5 | 6) || asked == 8 && version >= Version::V8_0;
    let mut text = String::new();
    if has_picture {
        // Sizes count for the old pictures only, whose release was asked for.
        let mut size = |(default, most): (i64, i64)| match rest.peek() {
            Some(_) if asked < 7 => Ok::<i64, CommandError>(args::int(rest.next()?)?.clamp(1, most)),
            _ => Ok(default),
        };
        let (width, height) = (size(WIDTH)?, size(HEIGHT)?);
        for _ in 0..height {
            text.extend((0..width).map(|_| if ctx.state.rng.below(2) == 0 { '╱' } else { '╲' }));
            text.push('\n');
        }
        text.push('\n');
    }
    text.push_str(&format!("Redis ver. {}\n", version.full()));
    Ok(Reply::Verbatim { format: *b"txt", text: text.into() }.into())
}
