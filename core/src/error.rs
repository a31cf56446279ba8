//! Every error line a command can answer, with its exact text. Handlers never format an error themselves.

use std::borrow::Cow;
use std::fmt;

use crate::Bytes;
use crate::bytes::word_bytes;
use crate::resp::Reply;

/// An error a command answers. `Display` gives the whole line without the leading `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandError {
    Syntax,
    WrongType,
    NotAnInteger,
    NotAFloat,
    NoSuchKey,
    DbOutOfRange,
    /// Source and destination are the same place.
    SameObject,
    InvalidCursor,
    /// SORT met an element or weight that is no number.
    SortScore,
    /// SORT's BY or GET in a cluster; since 7.4 a pattern is fine whose keys must lie in the key's slot.
    SortPattern {
        option: &'static str,
        knows_slots: bool,
    },
    /// WAIT and WAITAOF; only WAIT goes into what was before.
    NotOnReplica {
        command: &'static str,
        history: &'static str,
    },
    IndexOutOfRange,
    /// A count below zero.
    Negative,
    /// i64::MIN, where the number may have to be negated.
    NotNegatable,
    /// A number that is an integer, but not one of 32 bits.
    NotAnInt32,
    NumkeysNotPositive,
    CountNotPositive,
    /// A numkeys that counts more keys than there are arguments.
    TooManyKeys,
    NegativeLimit,
    UnsupportedUnit,
    /// The pair, each with six decimals.
    InvalidPlace(String),
    /// The member that a search starts from is not there.
    NoSuchPlace,
    /// GEOSEARCH needs one of each; the command as it was typed.
    OneCenter(String),
    OneShape(String),
    /// What stores cannot show distances, hashes or coordinates.
    StoreAndShow(&'static str),
    /// numkeys below one; the command's name.
    NoInputKey(&'static str),
    OutOfRange,
    IncrementOverflow,
    IncrementNotFinite,
    /// `FIELDS` of the commands for fields of hashes.
    FieldsMissing,
    FieldCount,
    FieldCountNotPositive,
    NegativeExpireTime,
    UnknownOption(String),
    /// More random picks than a reply may carry here.
    TooManyDrawn,
    UnknownPfdebug(String),
    BitOffset,
    /// The operation that BITOP was asked for.
    TooFewBitSources(String),
    /// A string would become longer than `proto-max-bulk-len`.
    StringTooLong,
    /// The command's full name, in lower case: `get`, `config|set`.
    WrongArity(String),
    /// `invalid expire time in 'set' command`.
    InvalidExpireTime(&'static str),
    UnknownCommand {
        name: String,
        /// `'a' 'b' `, cut after 128 bytes.
        args: String,
        /// Before 8.4 the list is announced even where it is empty.
        always_list_args: bool,
    },
    UnknownSubcommand {
        subcommand: String,
        container: String,
    },
    /// A subcommand that exists, with arguments that do not fit it.
    SubcommandSyntax {
        subcommand: String,
        container: String,
    },
    NoScript,
    /// A script runs past the busy threshold.
    Busy {
        function: bool,
    },
    NotBusy,
    Unkillable,
    ExecAbort,
    /// EXECABORT with the error that spoiled the transaction.
    ExecAbortBecause(String),
    /// The reason that a parameter was refused.
    ConfigSet {
        parameter: String,
        reason: String,
    },
    CrossSlot,
    SlotBusy(u16),
    SlotUnassigned(u16),
    SlotTwice(u16),
    SlotStatsRange(u16, u16),
    SlotRange(u16, u16),
    NotSlotOwner(u16),
    UnknownNode(String),
    /// Which port, as in `base` or `bus`, and the word.
    InvalidPort(String, String),
    InvalidNodeAddress(String),
    InvalidEpoch(i64),
    /// CLUSTER's subcommand that would change who is in the cluster.
    FixedNodes(&'static str),
    /// The slot is another node's, at this `host:port`.
    Moved(u16, String),
    Ask(u16, String),
    /// Nobody owns the slot.
    SlotNotServed,
    /// A command in a script names keys of several slots.
    ScriptCrossSlot(&'static str),
    OutOfMemory,
    ReadOnlyScript,
    ReadOnlyReplica,
    NoReplicas,
    MasterDown,
    ReplconfOption(String),
    RdbFilter(String),
    DebugProtocol,
    ScriptEngine(String),
    ScriptOption(String),
    ScriptFlag(String),
    LibraryOption(String),
    LibraryEngine(String),
    LibraryName,
    LibraryExists(String),
    /// The same as FUNCTION RESTORE words it.
    RestoredLibraryExists(String),
    /// A subcommand with arguments that do not fit, and its container.
    SubcommandOrArity(String, &'static str),
    FunctionExists(String),
    /// The whole text of a script or library that does not compile or register.
    Script(Vec<u8>),
    /// A RESP2 client in subscriber mode sent something else.
    SubscriberOnly(String),
    ConfigUnknown(String),
    /// The sentence behind NOPERM.
    NoPermission(String),
    /// The same inside a script, where it is an ERR.
    ScriptNoPermission(String),
    AclRule {
        rule: String,
        reason: &'static str,
    },
    AclUnmatchedParenthesis(String),
    AclUnknownCategory(String),
    AclUserNotFound(String),
    AclCommandNotFound(String),
    NoLatencySamples(String),
    InvalidStreamId,
    /// XPENDING, XCLAIM and XAUTOCLAIM.
    NoGroup {
        key: String,
        group: String,
    },
    /// XREADGROUP.
    NoGroupToRead {
        key: String,
        group: String,
    },
    /// XGROUP and XINFO, where the key exists.
    NoSuchGroup {
        key: String,
        group: String,
    },
    /// Not as many IDs as keys; from 7.2 on the command is named.
    UnbalancedStreams(Option<&'static str>),
    /// The command as it was typed.
    BlockInScript(String),
    UnrecognizedClaimOption(String),
    NoReplicationStream(String),
    /// DEBUG and MODULE, where the configuration forbids them.
    NotAllowed {
        command: &'static str,
        option: &'static str,
    },
    UnknownClientType(String),
    NoSuchUser(String),
    UnrecognizedOption(String),
    /// A text with blanks or control characters where CLIENT SETINFO takes none.
    NotPrintable(String),
    PrefixOverlap {
        prefix: String,
        with: &'static str,
        other: String,
    },
    HelloOption(String),
    FunctionLoadOption(String),
    UnknownArgument(String),
    UnsupportedOption(String),
    /// A line that needs no arguments and stands nowhere else.
    Line(Cow<'static, str>),
}

impl CommandError {
    /// For a subcommand (`argv[1]`) whose own arguments do not fit it.
    pub fn subcommand_syntax(argv: &[Bytes]) -> Self {
        let text = |index: usize| argv.get(index).map(Bytes::to_word).unwrap_or_default();
        Self::SubcommandSyntax { subcommand: text(1), container: text(0).to_ascii_uppercase() }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax => f.write_str("ERR syntax error"),
            Self::WrongType => {
                f.write_str("WRONGTYPE Operation against a key holding the wrong kind of value")
            }
            Self::NotAnInteger => f.write_str("ERR value is not an integer or out of range"),
            Self::NotAFloat => f.write_str("ERR value is not a valid float"),
            Self::StringTooLong => {
                f.write_str("ERR string exceeds maximum allowed size (proto-max-bulk-len)")
            }
            Self::BitOffset => f.write_str("ERR bit offset is not an integer or out of range"),
            Self::TooFewBitSources(op) => {
                write!(f, "ERR BITOP {op} must be called with at least two source keys.")
            }
            Self::UnknownPfdebug(word) => write!(f, "ERR Unknown PFDEBUG subcommand '{word}'"),
            Self::DbOutOfRange => f.write_str("ERR DB index is out of range"),
            Self::SameObject => f.write_str("ERR source and destination objects are the same"),
            Self::InvalidCursor => f.write_str("ERR invalid cursor"),
            Self::SortScore => f.write_str("ERR One or more scores can't be converted into double"),
            Self::SortPattern { option, knows_slots } => {
                write!(f, "ERR {option} option of SORT denied in Cluster mode")?;
                if *knows_slots {
                    f.write_str(" when keys formed by the pattern may be in different slots")?;
                }
                f.write_str(".")
            }
            Self::NotOnReplica { command, history } => write!(
                f,
                "ERR {command} cannot be used with replica instances. Please also note that {history}writes to \
                 replicas are just local and are not propagated."
            ),
            Self::IndexOutOfRange => f.write_str("ERR index out of range"),
            Self::Negative => f.write_str("ERR value is out of range, must be positive"),
            Self::NotNegatable => f.write_str(
                "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807",
            ),
            Self::NotAnInt32 => {
                f.write_str("ERR value is out of range, value must between -2147483648 and 2147483647")
            }
            Self::NumkeysNotPositive => f.write_str("ERR numkeys should be greater than 0"),
            Self::CountNotPositive => f.write_str("ERR count should be greater than 0"),
            Self::OutOfRange => f.write_str("ERR value is out of range"),
            Self::IncrementOverflow => f.write_str("ERR increment or decrement would overflow"),
            Self::IncrementNotFinite => f.write_str("ERR increment would produce NaN or Infinity"),
            Self::FieldsMissing => {
                f.write_str("ERR Mandatory argument FIELDS is missing or not at the right position")
            }
            Self::FieldCount => {
                f.write_str("ERR The `numfields` parameter must match the number of arguments")
            }
            Self::FieldCountNotPositive => f.write_str("ERR Number of fields must be a positive integer"),
            Self::NegativeExpireTime => f.write_str("ERR invalid expire time, must be >= 0"),
            Self::UnknownOption(word) => write!(f, "ERR unknown argument: {word}"),
            Self::TooManyDrawn => {
                write!(f, "ERR this server answers at most {} random elements", crate::limits::DRAWN_MAX)
            }
            Self::TooManyKeys => f.write_str("ERR Number of keys can't be greater than number of args"),
            Self::NegativeLimit => f.write_str("ERR LIMIT can't be negative"),
            Self::NoInputKey(name) => write!(f, "ERR at least 1 input key is needed for '{name}' command"),
            Self::UnsupportedUnit => f.write_str("ERR unsupported unit provided. please use M, KM, FT, MI"),
            Self::InvalidPlace(pair) => write!(f, "ERR invalid longitude,latitude pair {pair}"),
            Self::NoSuchPlace => f.write_str("ERR could not decode requested zset member"),
            Self::OneCenter(name) => {
                write!(f, "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for {name}")
            }
            Self::OneShape(name) => {
                write!(f, "ERR exactly one of BYRADIUS and BYBOX can be specified for {name}")
            }
            Self::StoreAndShow(what) => {
                write!(f, "ERR {what} is not compatible with WITHDIST, WITHHASH and WITHCOORD options")
            }
            Self::NoSuchKey => f.write_str("ERR no such key"),
            Self::WrongArity(name) => write!(f, "ERR wrong number of arguments for '{name}' command"),
            Self::InvalidExpireTime(name) => write!(f, "ERR invalid expire time in '{name}' command"),
            Self::UnknownCommand { name, args, always_list_args } => {
                write!(f, "ERR unknown command '{name}'")?;
                if *always_list_args || !args.is_empty() {
                    write!(f, ", with args beginning with: {args}")?;
                }
                Ok(())
            }
            Self::UnknownSubcommand { subcommand, container } => {
                write!(f, "ERR unknown subcommand '{subcommand}'. Try {container} HELP.")
            }
            Self::SubcommandSyntax { subcommand, container } => write!(
                f,
                "ERR unknown subcommand or wrong number of arguments for '{subcommand}'. Try {container} HELP."
            ),
            Self::NoScript => f.write_str("NOSCRIPT No matching script. Please use EVAL."),
            Self::Busy { function } => {
                let kill = if *function { "FUNCTION KILL" } else { "SCRIPT KILL" };
                write!(f, "BUSY Redis is busy running a script. You can only call {kill} or SHUTDOWN NOSAVE.")
            }
            Self::NotBusy => f.write_str("NOTBUSY No scripts in execution right now."),
            Self::Unkillable => f.write_str(
                "UNKILLABLE Sorry the script already executed write commands against the dataset. \
                 You can either wait the script termination or kill the server in a hard way using the \
                 SHUTDOWN NOSAVE command.",
            ),
            Self::ExecAbort => f.write_str("EXECABORT Transaction discarded because of previous errors."),
            Self::ExecAbortBecause(error) => {
                write!(f, "EXECABORT Transaction discarded because of: {error}")
            }
            Self::ConfigSet { parameter, reason } => {
                write!(f, "ERR CONFIG SET failed (possibly related to argument '{parameter}') - {reason}")
            }
            Self::CrossSlot => f.write_str("CROSSSLOT Keys in request don't hash to the same slot"),
            Self::SlotBusy(slot) => write!(f, "ERR Slot {slot} is already busy"),
            Self::SlotUnassigned(slot) => write!(f, "ERR Slot {slot} is already unassigned"),
            Self::SlotTwice(slot) => write!(f, "ERR Slot {slot} specified multiple times"),
            Self::SlotStatsRange(first, last) => {
                write!(f, "ERR Start slot number {first} is greater than end slot number {last}")
            }
            Self::SlotRange(first, last) => {
                write!(f, "ERR start slot number {first} is greater than end slot number {last}")
            }
            Self::NotSlotOwner(slot) => write!(f, "ERR I'm not the owner of hash slot {slot}"),
            Self::UnknownNode(id) => write!(f, "ERR Unknown node {id}"),
            Self::InvalidPort(which, word) => write!(f, "ERR Invalid {which} port specified: {word}"),
            Self::InvalidNodeAddress(address) => {
                write!(f, "ERR Invalid node address specified: {address}")
            }
            Self::InvalidEpoch(epoch) => write!(f, "ERR Invalid config epoch specified: {epoch}"),
            Self::FixedNodes(name) => write!(
                f,
                "ERR CLUSTER {name} is not offered here: the other nodes are those that the playground began with"
            ),
            Self::Moved(slot, address) => write!(f, "MOVED {slot} {address}"),
            Self::Ask(slot, address) => write!(f, "ASK {slot} {address}"),
            Self::SlotNotServed => f.write_str("CLUSTERDOWN Hash slot not served"),
            Self::ScriptCrossSlot(name) => write!(
                f,
                "ERR Command '{name}' in script attempted to access keys that don't hash to the same slot"
            ),
            Self::OutOfMemory => f.write_str("OOM command not allowed when used memory > 'maxmemory'."),
            Self::ReadOnlyReplica => f.write_str("READONLY You can't write against a read only replica."),
            Self::NoReplicas => f.write_str("NOREPLICAS Not enough good replicas to write."),
            Self::MasterDown => f.write_str(
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
            ),
            Self::DebugProtocol => f.write_str(
                "ERR Wrong protocol type name. Please use one of the following: \
                 string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false",
            ),
            Self::ReplconfOption(word) => write!(f, "ERR Unrecognized REPLCONF option: {word}"),
            Self::RdbFilter(word) => write!(f, "ERR Unsupported rdb-filter-only option: {word}"),
            Self::ReadOnlyScript => f.write_str("ERR Write commands are not allowed from read-only scripts."),
            Self::ScriptEngine(engine) => write!(f, "ERR Unexpected engine in script shebang: {engine}"),
            Self::ScriptOption(word) => write!(f, "ERR Unknown lua shebang option: {word}"),
            Self::ScriptFlag(name) => write!(f, "ERR Unexpected flag in script shebang: {name}"),
            Self::LibraryOption(word) => write!(f, "ERR Invalid metadata value given: {word}"),
            Self::LibraryEngine(engine) => write!(f, "ERR Engine '{engine}' not found"),
            Self::LibraryName => f.write_str(
                "ERR Library names can only contain letters, numbers, or underscores(_) and must be at \
                 least one character long",
            ),
            Self::LibraryExists(name) => write!(f, "ERR Library '{name}' already exists"),
            Self::RestoredLibraryExists(name) => write!(f, "ERR Library {name} already exists"),
            Self::SubcommandOrArity(word, container) => write!(
                f,
                "ERR unknown subcommand or wrong number of arguments for '{word}'. Try {container} HELP."
            ),
            Self::FunctionExists(name) => write!(f, "ERR Function {name} already exists"),
            Self::Script(text) => f.write_str(&String::from_utf8_lossy(text)),
            Self::SubscriberOnly(name) => write!(
                f,
                "ERR Can't execute '{name}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are \
                 allowed in this context"
            ),
            Self::ConfigUnknown(name) => {
                write!(f, "ERR Unknown option or number of arguments for CONFIG SET - '{name}'")
            }
            Self::NoPermission(text) => write!(f, "NOPERM {text}"),
            Self::ScriptNoPermission(text) => write!(f, "ERR {text}"),
            Self::AclRule { rule, reason } => {
                write!(f, "ERR Error in ACL SETUSER modifier '{rule}': {reason}")
            }
            Self::AclUnmatchedParenthesis(word) => {
                write!(f, "ERR Unmatched parenthesis in acl selector starting at '{word}'.")
            }
            Self::AclUnknownCategory(word) => write!(f, "ERR Unknown category '{word}'"),
            Self::AclUserNotFound(name) => write!(f, "ERR User '{name}' not found"),
            Self::AclCommandNotFound(name) => write!(f, "ERR Command '{name}' not found"),
            Self::NoLatencySamples(event) => write!(f, "ERR No samples available for event '{event}'"),
            Self::InvalidStreamId => {
                f.write_str("ERR Invalid stream ID specified as stream command argument")
            }
            Self::NoGroup { key, group } => {
                write!(f, "NOGROUP No such key '{key}' or consumer group '{group}'")
            }
            Self::NoGroupToRead { key, group } => write!(
                f,
                "NOGROUP No such key '{key}' or consumer group '{group}' in XREADGROUP with GROUP option"
            ),
            Self::NoSuchGroup { key, group } => {
                write!(f, "NOGROUP No such consumer group '{group}' for key name '{key}'")
            }
            Self::UnbalancedStreams(None) => f.write_str(
                "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.",
            ),
            Self::UnbalancedStreams(Some(command)) => {
                let ids = if *command == "xread" { "an ID, '+', or '$'" } else { "an ID or '>'" };
                write!(
                    f,
                    "ERR Unbalanced '{command}' list of streams: for each stream key {ids} must be specified."
                )
            }
            Self::BlockInScript(command) => {
                write!(f, "ERR {command} command is not allowed with BLOCK option from scripts")
            }
            Self::UnrecognizedClaimOption(word) => write!(f, "ERR Unrecognized XCLAIM option '{word}'"),
            Self::NoReplicationStream(name) => {
                write!(f, "ERR {name} is not offered here: the playground has no replication stream")
            }
            Self::NotAllowed { command, option } => write!(
                f,
                "ERR {command} command not allowed. If the {option} option is set to \"local\", you can run it \
                 from a local connection, otherwise you need to set this option in the configuration file, and \
                 then restart the server."
            ),
            Self::UnknownClientType(word) => write!(f, "ERR Unknown client type '{word}'"),
            Self::NoSuchUser(name) => write!(f, "ERR No such user '{name}'"),
            Self::UnrecognizedOption(word) => write!(f, "ERR Unrecognized option '{word}'"),
            Self::NotPrintable(option) => {
                write!(f, "ERR {option} cannot contain spaces, newlines or special characters.")
            }
            Self::PrefixOverlap { prefix, with, other } => write!(
                f,
                "ERR Prefix '{prefix}' overlaps with {with} '{other}'. Prefixes for a single client must not overlap."
            ),
            Self::HelloOption(word) => write!(f, "ERR Syntax error in HELLO option '{word}'"),
            Self::FunctionLoadOption(word) => write!(f, "ERR Unknown option given: {word}"),
            Self::UnknownArgument(word) => write!(f, "ERR Unknown argument {word}"),
            Self::UnsupportedOption(word) => write!(f, "ERR Unsupported option {word}"),
            Self::Line(line) => f.write_str(line),
        }
    }
}

impl From<CommandError> for Reply {
    fn from(error: CommandError) -> Self {
        if let CommandError::Script(text) = error {
            return Reply::Error(text.into());
        }
        Reply::quoting_error(word_bytes(&error.to_string()))
    }
}
