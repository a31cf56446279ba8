//! Bytes to requests: the server's side. Multibulk and inline, with the protocol errors of a real server.
//!
//! Knows nothing of sockets, clients or commands. After an error a connection can't go on: what follows has no meaning.

use std::fmt;

use crate::Bytes;
use crate::value::number::parse_i64;

use super::Reply;
use super::quote::split_args;

/// How long a line may be that has not ended yet, in bytes: an inline request or a length.
const LINE_MAX: usize = 64 * 1024;
/// How many arguments a request may announce.
const ARGS_MAX: i64 = i32::MAX as i64;
/// The same for a client that has not given the password it needs, and how long its arguments may be, in bytes.
const UNAUTHENTICATED_ARGS_MAX: i64 = 10;
const UNAUTHENTICATED_BULK_MAX: i64 = 16 * 1024;
/// A buffer this much of which has been read is moved to its front, and given back if it is empty and larger, in bytes.
const CONSUMED_MAX: usize = 64 * 1024;

/// A request that breaks the protocol. `Display` gives the line a server answers before it closes the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolError {
    BigInline,
    UnbalancedQuotes,
    BigCount,
    InvalidCount,
    UnauthenticatedCount,
    BigBulkLength,
    InvalidBulkLength,
    UnauthenticatedBulkLength,
    ExpectedBulk(u8),
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ERR Protocol error: ")?;
        match self {
            Self::BigInline => f.write_str("too big inline request"),
            Self::UnbalancedQuotes => f.write_str("unbalanced quotes in request"),
            Self::BigCount => f.write_str("too big mbulk count string"),
            Self::InvalidCount => f.write_str("invalid multibulk length"),
            Self::UnauthenticatedCount => f.write_str("unauthenticated multibulk length"),
            Self::UnauthenticatedBulkLength => f.write_str("unauthenticated bulk length"),
            Self::BigBulkLength => f.write_str("too big bulk count string"),
            Self::InvalidBulkLength => f.write_str("invalid bulk length"),
            // An error line must not be broken by the line ends of the request it quotes.
            Self::ExpectedBulk(b'\r' | b'\n') => f.write_str("expected '$', got ' '"),
            Self::ExpectedBulk(byte) => write!(f, "expected '$', got '{}'", char::from(*byte)),
        }
    }
}

impl std::error::Error for ProtocolError {}

impl From<ProtocolError> for Reply {
    fn from(error: ProtocolError) -> Self {
        match error {
            // The byte itself goes back, which a text could only hold if it were ASCII.
            ProtocolError::ExpectedBulk(byte @ 128..) => {
                let line = [b"ERR Protocol error: expected '$', got '", [byte].as_slice(), b"'"].concat();
                Reply::Error(line.into())
            }
            other => Reply::error(other.to_string()),
        }
    }
}

/// What a client may send; it can change from request to request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// How long an argument may be, in bytes: `proto-max-bulk-len`.
    pub bulk_max: i64,
    /// Whether the client has the right to more than a password takes.
    pub authenticated: bool,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self { bulk_max: 512 * 1024 * 1024, authenticated: true }
    }
}

/// Takes what arrives on a connection and gives the requests it holds.
#[derive(Debug, Default)]
pub struct RequestParser {
    buffer: Vec<u8>,
    /// Where the unread part of the buffer begins.
    at: usize,
    /// The request that is being read: its arguments so far, and how many are still to come.
    args: Vec<Bytes>,
    args_left: usize,
    /// The length of the argument that is being read.
    bulk_len: Option<usize>,
    pub limits: RequestLimits,
}

impl RequestParser {
    /// What has arrived of a request that is not whole yet, in bytes.
    pub fn held_bytes(&self) -> usize {
        self.buffer.len() - self.at + self.args.iter().map(|arg| arg.len()).sum::<usize>()
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        if self.at == self.buffer.len() {
            self.buffer.clear();
            self.buffer.shrink_to(CONSUMED_MAX);
            self.at = 0;
        } else if self.at > CONSUMED_MAX {
            self.buffer.drain(..self.at);
            self.at = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole request, never empty; `None` until more arrives.
    pub fn next_request(&mut self) -> Result<Option<Vec<Bytes>>, ProtocolError> {
        loop {
            if self.args_left > 0 {
                return self.multibulk();
            }
            match self.buffer.get(self.at) {
                None => return Ok(None),
                Some(b'*') => {
                    let Some(line) = self.line(ProtocolError::BigCount)? else { return Ok(None) };
                    let count = parse_i64(&self.buffer[line]).filter(|count| *count <= ARGS_MAX);
                    let count = count.ok_or(ProtocolError::InvalidCount)?;
                    if count > UNAUTHENTICATED_ARGS_MAX && !self.limits.authenticated {
                        return Err(ProtocolError::UnauthenticatedCount);
                    }
                    // No arguments, or fewer: such a request is passed over without an answer.
                    self.args_left = count.max(0) as usize;
                }
                Some(_) => {
                    let Some(args) = self.inline()? else { return Ok(None) };
                    if !args.is_empty() {
                        return Ok(Some(args));
                    }
                }
            }
        }
    }

    fn multibulk(&mut self) -> Result<Option<Vec<Bytes>>, ProtocolError> {
        while self.args_left > 0 {
            let len = match self.bulk_len {
                Some(len) => len,
                None => {
                    let Some(len) = self.bulk_head()? else { return Ok(None) };
                    self.bulk_len = Some(len);
                    len
                }
            };
            // The two bytes behind an argument are passed over, whatever they are.
            if self.buffer.len() - self.at < len + 2 {
                return Ok(None);
            }
            self.args.push(Bytes::from(&self.buffer[self.at..self.at + len]));
            self.at += len + 2;
            self.bulk_len = None;
            self.args_left -= 1;
        }
        Ok(Some(std::mem::take(&mut self.args)))
    }

    fn bulk_head(&mut self) -> Result<Option<usize>, ProtocolError> {
        let first = self.buffer.get(self.at).copied();
        let Some(line) = self.line(ProtocolError::BigBulkLength)? else { return Ok(None) };
        if let Some(other) = first.filter(|byte| *byte != b'$') {
            return Err(ProtocolError::ExpectedBulk(other));
        }
        let len = parse_i64(&self.buffer[line]).filter(|len| (0..=self.limits.bulk_max).contains(len));
        let len = len.ok_or(ProtocolError::InvalidBulkLength)?;
        if len > UNAUTHENTICATED_BULK_MAX && !self.limits.authenticated {
            return Err(ProtocolError::UnauthenticatedBulkLength);
        }
        Ok(Some(len as usize))
    }

    /// The line without its first byte, up to `\r`; the byte after that is passed over, whatever it is.
    fn line(&mut self, too_long: ProtocolError) -> Result<Option<std::ops::Range<usize>>, ProtocolError> {
        let Some(end) = find(&self.buffer[self.at..], b'\r') else {
            return if self.buffer.len() - self.at > LINE_MAX { Err(too_long) } else { Ok(None) };
        };
        if self.at + end + 1 == self.buffer.len() {
            return Ok(None);
        }
        let start = self.at + 1;
        let line = start.min(self.at + end)..self.at + end;
        self.at += end + 2;
        Ok(Some(line))
    }

    fn inline(&mut self) -> Result<Option<Vec<Bytes>>, ProtocolError> {
        let rest = &self.buffer[self.at..];
        let Some(end) = find(rest, b'\n') else {
            return if rest.len() > LINE_MAX { Err(ProtocolError::BigInline) } else { Ok(None) };
        };
        let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
        let args = split_args(line).map_err(|_| ProtocolError::UnbalancedQuotes)?;
        self.at += end + 1;
        Ok(Some(args))
    }
}

/// Where the line ends. A NUL hides everything behind it, as it does in a server written in C.
fn find(bytes: &[u8], end: u8) -> Option<usize> {
    let at = bytes.iter().position(|byte| *byte == end || *byte == 0)?;
    (bytes[at] == end).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a parser makes of the bytes: one line per request, then the error if there is one.
    fn read(parser: &mut RequestParser) -> String {
        let mut seen = Vec::new();
        loop {
            match parser.next_request() {
                Ok(Some(args)) => {
                    seen.push(args.iter().map(Bytes::to_text).collect::<Vec<_>>().join("|"));
                }
                Ok(None) => break,
                Err(error) => {
                    seen.push(error.to_string());
                    break;
                }
            }
        }
        seen.join("\n")
    }

    /// Fed whole and byte by byte, the requests must be the same.
    #[track_caller]
    fn check(bytes: impl AsRef<[u8]>, expected: &str) {
        let bytes = bytes.as_ref();
        let mut whole = RequestParser::default();
        whole.feed(bytes);
        assert_eq!(read(&mut whole), expected);
        let mut split = RequestParser::default();
        let mut seen = Vec::new();
        for byte in bytes {
            split.feed(&[*byte]);
            let now = read(&mut split);
            let failed = now.starts_with("ERR");
            seen.extend((!now.is_empty()).then_some(now));
            if failed {
                break;
            }
        }
        assert_eq!(seen.join("\n"), expected, "fed byte by byte");
    }

    #[test]
    fn requests_are_told_apart_in_a_pipeline() {
        check("*2\r\n$4\r\nECHO\r\n$0\r\n\r\nPING\r\n*1\r\n$4\r\nPING\r\n", "ECHO|\nPING\nPING");
        check("*0\r\n*-5\r\n\r\n\nPING\n", "PING");
        check("*1\r\n$4\r\nPING", "");
        check("  SET k \"a b\\x41\" 'c'  \r\n", "SET|k|a bA|c");
        check("*1\rX$4\rXPINGXX", "PING");
    }

    #[test]
    fn broken_requests_get_the_words_of_a_real_server() {
        let refused = |bytes: &str, why: &str| check(bytes, &format!("ERR Protocol error: {why}"));
        for count in ["2147483648", "abc", "", "+1", "01", " 1", "9223372036854775808"] {
            refused(&format!("*{count}\r\n"), "invalid multibulk length");
        }
        for len in ["-1", "abc", "536870913", ""] {
            refused(&format!("*1\r\n${len}\r\n"), "invalid bulk length");
        }
        refused("*1\r\nPING\r\n", "expected '$', got 'P'");
        refused("*1\r\n\r\n", "expected '$', got ' '");
        refused("ECHO \"abc\r\n", "unbalanced quotes in request");
        refused("ECHO 'a'b\r\n", "unbalanced quotes in request");
    }

    #[test]
    fn lines_that_do_not_end_are_given_up() {
        let long = |start: &str, more: usize| format!("{start}{}", "1".repeat(LINE_MAX + more));
        let check = |bytes: String, expected: &str| {
            let mut parser = RequestParser::default();
            parser.feed(bytes.as_bytes());
            assert_eq!(read(&mut parser), expected);
        };
        check(long("", 0), "");
        check(long("", 1), "ERR Protocol error: too big inline request");
        check(long("*", 0), "ERR Protocol error: too big mbulk count string");
        check(long("*1\r\n$", 0), "ERR Protocol error: too big bulk count string");
    }

    #[test]
    fn no_bytes_make_the_parser_panic() {
        let pieces = [
            "*",
            "$",
            "-1",
            "2",
            "3",
            "\r\n",
            "\r",
            "\n",
            "\0",
            "a",
            "\"",
            "'",
            "\\",
            " ",
            "99999999999999999999",
        ];
        let mut seed: u64 = 3;
        let mut below = |limit: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % limit
        };
        for _ in 0..20_000 {
            let mut parser = RequestParser::default();
            for _ in 0..below(6) {
                let bytes: String = (0..below(8)).map(|_| pieces[below(pieces.len())]).collect();
                parser.feed(bytes.as_bytes());
                while let Ok(Some(request)) = parser.next_request() {
                    assert!(!request.is_empty());
                }
            }
        }
    }

    #[test]
    fn a_nul_hides_the_rest_of_a_line() {
        check("PI\0NG\r\nPING\r\n", "");
    }
}
