//! LOLWUT: a maze of one line of code, another one each time.

use crate::Bytes;
use crate::error::CommandError;
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
    let mut rest = args::Cursor::new(&argv[1..]);
    if rest.take_word("version") {
        let version = rest.next().map_err(|_| CommandError::NotAnInteger)?;
        args::int(version)?;
    }
    let mut size = |(default, most): (i64, i64)| match rest.peek() {
        None => Ok(default),
        Some(_) => Ok::<i64, CommandError>(args::int(rest.next()?)?.clamp(1, most)),
    };
    let (width, height) = (size(WIDTH)?, size(HEIGHT)?);
    let mut text = String::new();
    for _ in 0..height {
        text.extend((0..width).map(|_| if ctx.state.rng.below(2) == 0 { '╱' } else { '╲' }));
        text.push('\n');
    }
    text.push_str(&format!("\nRedis ver. {}\n", ctx.version().full()));
    Ok(Reply::Verbatim { format: *b"txt", text: text.into() }.into())
}
