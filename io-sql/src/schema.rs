//! Whether a database's schema fits a program.
//!
//! Promise: a schema that is behind the program is refused, and one that is ahead of it by more
//! than its recorded `min_compatible` allows.

/// One step of a schema.
#[derive(Debug)]
pub struct Migration {
    /// Its number, from 1.
    pub version: u32,
    /// The oldest program, by the newest version that it knows, that can work with the result.
    pub min_compatible: u32,
    /// Its statements.
    pub sql: &'static str,
}

/// A schema that does not fit this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// Migrations are missing.
    #[error("its schema is v{have} and this program needs v{need}: run `horarium migrate`")]
    Behind {
        /// What the database has.
        have: u32,
        /// What the program needs.
        need: u32,
    },
    /// A newer program has migrated it.
    #[error(
        "its schema is v{have}, made by a newer program, and needs one that knows v{min_compatible} or later while this one knows v{know}: upgrade this program"
    )]
    Ahead {
        /// What the database has.
        have: u32,
        /// What a program must know.
        min_compatible: u32,
        /// What this one knows.
        know: u32,
    },
}

/// Whether a program that knows `know` can work with version `version`.
pub const fn check(version: u32, min_compatible: u32, know: u32) -> Result<(), SchemaError> {
    if version < know {
        Err(SchemaError::Behind { have: version, need: know })
    } else if min_compatible > know {
        Err(SchemaError::Ahead { have: version, min_compatible, know })
    } else {
        Ok(())
    }
}

/// The migrations of `all` after version `have`.
pub fn pending(all: &'static [Migration], have: u32) -> impl Iterator<Item = &'static Migration> {
    all.iter().filter(move |migration| migration.version > have)
}

/// The newest version of `all`.
pub const fn newest(all: &[Migration]) -> u32 {
    match all.last() {
        Some(migration) => migration.version,
        None => 0,
    }
}

/// Whether `all` are numbered from 1 without gaps, and none asks for a program newer than itself.
pub fn is_sound(all: &[Migration]) -> bool {
    all.iter().zip(1..).all(|(migration, number)| {
        migration.version == number && migration.min_compatible <= migration.version
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_behind_the_program_is_refused_and_one_ahead_as_far_as_it_says() {
        assert_eq!(check(3, 2, 3), Ok(()));
        assert_eq!(check(3, 2, 2), Ok(()));
        let ahead = SchemaError::Ahead { have: 3, min_compatible: 2, know: 1 };
        assert_eq!(check(3, 2, 1), Err(ahead));
        assert_eq!(check(1, 1, 2), Err(SchemaError::Behind { have: 1, need: 2 }));
    }
}
