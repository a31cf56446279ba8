//! What differs between server versions, as data in one place.

/// A server version whose behaviour is offered. Ordered: `version >= Version::V7_4`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    V7_0,
    V7_2,
    V7_4,
    V8_0,
    V8_2,
    V8_4,
    #[default]
    V8_6,
}

impl Version {
    pub const ALL: [Version; 7] =
        [Self::V7_0, Self::V7_2, Self::V7_4, Self::V8_0, Self::V8_2, Self::V8_4, Self::V8_6];

    /// The full number that INFO and `redis.REDIS_VERSION` tell: the patch release that was measured.
    pub fn full(self) -> &'static str {
        match self {
            Self::V7_0 => "7.0.15",
            Self::V7_2 => "7.2.7",
            Self::V7_4 => "7.4.1",
            Self::V8_0 => "8.0.3",
            Self::V8_2 => "8.2.3",
            Self::V8_4 => "8.4.0",
            Self::V8_6 => "8.6.3",
        }
    }

    /// Major and minor number, as in `since` of a command.
    pub const fn number(self) -> (u8, u8) {
        match self {
            Self::V7_0 => (7, 0),
            Self::V7_2 => (7, 2),
            Self::V7_4 => (7, 4),
            Self::V8_0 => (8, 0),
            Self::V8_2 => (8, 2),
            Self::V8_4 => (8, 4),
            Self::V8_6 => (8, 6),
        }
    }

    /// Major, minor and patch number.
    pub fn triple(self) -> (i32, i32, i32) {
        let mut parts =
            self.full().split('.').map(|part| part.parse().expect("a full version has three numbers"));
        let mut next = || parts.next().expect("a full version has three numbers");
        (next(), next(), next())
    }

    /// Reads `7.0`, `7.0.15` or `8.6`: the patch number is of no account.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let major_minor = format!("{}.{}", parts.next()?, parts.next()?);
        Self::ALL
            .into_iter()
            .find(|version| version.full().rsplit_once('.').is_some_and(|(prefix, _)| prefix == major_minor))
    }
}
