//! Regressions: worlds that broke a law once, made small and kept for ever.
//!
//! A file names the law. If it names a seeded bug, the world must still break that law with it
//! (so the shrinker and the laws themselves are tested); if it names none, the bug was a real one
//! and is mended, and the world must keep every law.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::batch::{Failure, play};
use crate::breach::Law;
use crate::named::{self, UnknownName};
use crate::profile::OutOfRange;
use crate::sabotage::Sabotage;
use crate::scenario::Scenario;
use crate::timeline::KEPT;

/// The format of the files that this version writes and reads.
pub const FORMAT: u64 = 1;

/// A world that must be played again with every change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regression {
    /// What happens in it, for people.
    pub story: String,
    /// The law that it broke.
    pub law: Law,
    /// The bug that was seeded, if one was.
    pub sabotage: Option<Sabotage>,
    /// The world.
    pub scenario: Scenario,
}

/// A regression as it is written down.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    format: u64,
    story: String,
    law: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sabotage: Option<String>,
    scenario: Scenario,
}

/// Only what every format has.
#[derive(Debug, Deserialize)]
struct Head {
    format: u64,
}

/// A file that is no regression that this version can play.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", .file.display())]
pub struct RegressionError {
    /// Which file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub why: Why,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum Why {
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not JSON of this shape.
    #[error("{0}: write such files with `sim shrink`, not by hand")]
    Shape(#[from] serde_json::Error),
    /// Another version wrote it.
    #[error("{}", format_advice(*found))]
    Format {
        /// The format of the file.
        found: u64,
    },
    /// It names a law or a bug that there is not.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// Its world cannot be.
    #[error("{0}")]
    Range(#[from] OutOfRange),
    /// The world went another way than the file says.
    #[error("{0}")]
    Changed(String),
}

fn format_advice(found: u64) -> String {
    let advice = if found > FORMAT {
        "a newer version wrote it: play it with that version"
    } else {
        "an older version wrote it: find such a world again with `sim run` and `sim shrink`"
    };
    format!("format {found} is not {FORMAT}, which this version reads; {advice}")
}

/// The law of this name.
pub fn law(name: &str) -> Result<Law, UnknownName> {
    named::find("law", &Law::all(), |law| law.name().to_owned(), name)
}

/// The seeded bug of this name.
pub fn sabotage(name: &str) -> Result<Sabotage, UnknownName> {
    named::find("seeded bug", Sabotage::ALL, |bug| named::name(&bug), name)
}

impl Regression {
    /// Reads one.
    pub fn read(file: &Path) -> Result<Self, RegressionError> {
        let error = |why| RegressionError { file: file.to_owned(), why };
        let text = fs::read_to_string(file).map_err(|why| error(why.into()))?;
        Self::parse(&text).map_err(error)
    }

    /// What the text of a file says.
    pub fn parse(text: &str) -> Result<Self, Why> {
        let Head { format: found } = serde_json::from_str(text)?;
        if found != FORMAT {
            return Err(Why::Format { found });
        }
        let written: Written = serde_json::from_str(text)?;
        written.scenario.profile.check()?;
        Ok(Self {
            story: written.story,
            law: law(&written.law)?,
            sabotage: written.sabotage.as_deref().map(sabotage).transpose()?,
            scenario: written.scenario,
        })
    }

    /// The text of its file.
    pub fn text(&self) -> Result<String, Why> {
        let written = Written {
            format: FORMAT,
            story: self.story.clone(),
            law: self.law.name().to_owned(),
            sabotage: self.sabotage.map(|bug| named::name(&bug)),
            scenario: self.scenario.clone(),
        };
        Ok(serde_json::to_string_pretty(&written)? + "\n")
    }

    /// Writes it down.
    pub fn write(&self, file: &Path) -> Result<(), RegressionError> {
        let written = self.text().and_then(|text| Ok(fs::write(file, text)?));
        written.map_err(|why| RegressionError { file: file.to_owned(), why })
    }

    /// Plays it. An error when it went another way than it must.
    pub fn hold(&self) -> Result<(), Why> {
        let played = play(self.scenario.clone(), self.sabotage, KEPT);
        match (self.sabotage, played) {
            (None, Ok(_)) => Ok(()),
            (None, Err(failure)) => Err(Why::Changed(format!("a mended bug is back\n{failure}"))),
            (Some(_), Err(failure)) if failure.breach.law == self.law => Ok(()),
            (Some(bug), Err(failure)) => {
                let (now, law) = (failure.breach.law, self.law);
                Err(Why::Changed(format!("{bug:?} breaks {now} here and not {law}\n{failure}")))
            }
            (Some(bug), Ok(_)) => {
                let law = self.law;
                Err(Why::Changed(format!(
                    "{bug:?} does not break {law} here any more: shrink a world of it again"
                )))
            }
        }
    }

    /// That of a failure.
    pub fn of(failure: &Failure) -> Self {
        Self {
            story: failure.breach.what.clone(),
            law: failure.breach.law,
            sabotage: failure.sabotage,
            scenario: failure.scenario.clone(),
        }
    }
}

/// All regressions in a folder, by the names of their files.
pub fn all_in(folder: &Path) -> Result<Vec<(PathBuf, Regression)>, RegressionError> {
    let listed = fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()
    });
    let mut files =
        listed.map_err(|why| RegressionError { file: folder.to_owned(), why: why.into() })?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files.into_iter().map(|file| Ok((file.clone(), Regression::read(&file)?))).collect()
}

/// Where the regressions of this package are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions")
}

/// The unit tests of a package run before its other tests: so these worlds come first.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_regression_goes_the_way_it_must() {
        let all = all_in(&folder()).unwrap_or_else(|error| panic!("{error}"));
        assert!(!all.is_empty());
        for (file, regression) in all {
            if let Err(why) = regression.hold() {
                panic!("{}: {why}", file.display());
            }
        }
    }

    fn one() -> Regression {
        Regression {
            story: String::from("a story"),
            law: Law::Convergence,
            sabotage: Sabotage::ALL.first().copied(),
            scenario: Scenario::ordinary(3),
        }
    }

    fn told(from: &str, to: &str) -> String {
        let text = one().text().unwrap();
        assert!(text.contains(from), "{text}");
        Regression::parse(&text.replacen(from, to, 1)).unwrap_err().to_string()
    }

    #[test]
    fn a_regression_that_was_written_down_is_read_as_the_same() {
        assert_eq!(Regression::parse(&one().text().unwrap()).unwrap(), one());
    }

    #[test]
    fn a_file_of_another_version_is_told_so() {
        let older = told("\"format\": 1", "\"format\": 0");
        assert!(older.contains("an older version wrote it: find such a world again"), "{older}");
        let newer = told("\"format\": 1", "\"format\": 2");
        assert!(newer.contains("a newer version wrote it: play it with"), "{newer}");
    }

    #[test]
    fn an_unknown_name_is_told_with_those_that_there_are() {
        let law = told("\"law\": \"convergence\"", "\"law\": \"gravity\"");
        assert!(law.contains("`gravity` is no law: use one of one-active-row"), "{law}");
        let bug = named::name(&Sabotage::ALL[0]);
        let bug = told(&format!("\"sabotage\": \"{bug}\""), "\"sabotage\": \"gremlin\"");
        assert!(bug.starts_with("`gremlin` is no seeded bug: use one of"), "{bug}");
    }

    #[test]
    fn a_part_out_of_range_and_one_that_nobody_knows_are_told() {
        let range = told("\"failing\": ", "\"failing\": 1000");
        assert!(range.contains("`jobs.failing` is 1000"), "{range}");
        let shape = told("\"failing\": ", "\"flailing\": ");
        assert!(shape.contains("unknown field `flailing`"), "{shape}");
        assert!(shape.contains("line "), "{shape}");
    }
}
