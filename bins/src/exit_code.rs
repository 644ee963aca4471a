//! Exit codes: the same for every program of Horarium, and documented.

/// What a program's exit status says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// It did what was asked.
    Ok,
    /// It did not.
    Failure,
    /// It was asked in a way that cannot be.
    Usage,
    /// What was asked about does not exist.
    NotFound,
    /// The slot is held, or somebody else changed the same thing.
    Conflict,
    /// The store cannot be reached.
    Unreachable,
    /// The store's schema, or the zone data that it goes by, do not fit this program.
    SchemaMismatch,
}

impl ExitCode {
    /// The status.
    pub const fn number(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Conflict => 4,
            Self::Unreachable => 5,
            Self::SchemaMismatch => 6,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}
