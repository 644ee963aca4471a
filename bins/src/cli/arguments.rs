//! Arguments that several verbs share.

use std::num::NonZeroU32;

use clap::{Args, ValueEnum};
use horarium_core::recurrence::Zone;
use horarium_core::store::RunRef;
use horarium_core::words::request::LARGEST_REQUEST;
use horarium_core::words::{Actor, ActorKind, By, Name, Note, Options, Request, RunNumber};
use serde_json::Value;

use super::clock::WallClock;
use super::failure::Failure;
use crate::daemon::at_least_one;

/// How the answer is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for people
    #[default]
    Table,
    /// JSON for programs: stable, instants in UTC
    Json,
}

/// How answers are shown.
#[derive(Debug, Clone, Args)]
pub(crate) struct Show {
    /// How to write the answer
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output: Format,
    /// The time zone to show instants in; this machine's when not given
    #[arg(long, env = "HORARIUM_TIMEZONE", value_name = "ZONE", value_parser = crate::zone_data::zone)]
    pub(crate) tz: Option<Zone>,
}

impl Format {
    pub(super) fn is_json(self) -> bool {
        match self {
            Self::Table => false,
            Self::Json => true,
        }
    }
}

impl Show {
    pub(super) fn is_json(&self) -> bool {
        self.output.is_json()
    }

    pub(super) fn clock(&self) -> WallClock {
        WallClock::new(self.tz.as_ref())
    }
}

/// Who does it and why; kept with the change.
#[derive(Debug, Clone, Args)]
pub(crate) struct Author {
    /// Who does it, as kind:name; the kind is person, token or agent. You when not given
    #[arg(long, env = "HORARIUM_ACTOR", value_name = "KIND:NAME")]
    pub(crate) actor: Option<Actor>,
    /// Why; shown beside the change ever after
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<Note>,
}

impl Author {
    /// Who and why.
    pub(crate) fn by(&self) -> By {
        By { actor: self.actor.clone().unwrap_or_else(this_person), reason: self.reason.clone() }
    }
}

fn this_person() -> Actor {
    let login = ["USER", "LOGNAME"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|login| !login.is_empty()))
        .unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()));
    Actor { kind: ActorKind::Person, name: Note::lossy(&login) }
}

/// What the run is asked to do. All of it may be left out.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RequestArguments {
    /// One option; the value is read as JSON where it is JSON, else as text. Can be repeated
    #[arg(short = 'O', long = "option", value_name = "NAME=VALUE")]
    pub(crate) option: Vec<String>,
    /// All options as a JSON object, or @FILE that holds one (@- for standard input)
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) options: Option<String>,
    /// Which of the handler's engines
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Option<Name>,
    /// One option of the engine, like --option. Can be repeated
    #[arg(long = "engine-option", value_name = "NAME=VALUE")]
    pub(crate) engine_option: Vec<String>,
    /// Which of the handler's presets fills what is left out
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<Name>,
    /// How many units of work at a time
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) batch_size: Option<NonZeroU32>,
}

impl RequestArguments {
    pub(super) fn request(&self) -> Result<Request, Failure> {
        self.read(true)
    }

    /// The request of a program whose standard input is not the caller's.
    pub(super) fn request_without_stdin(&self) -> Result<Request, Failure> {
        self.read(false)
    }

    fn read(&self, stdin: bool) -> Result<Request, Failure> {
        let mut options = match &self.options {
            Some(given) if given == "@-" && !stdin => {
                return Err(Failure::Usage(String::from(
                    "--options @- cannot be read here: write the options into a file and name it",
                )));
            }
            None => Options::new(),
            Some(given) => whole_options(given)?,
        };
        add("--option", &mut options, &self.option)?;
        let mut engine_options = Options::new();
        add("--engine-option", &mut engine_options, &self.engine_option)?;
        let request = Request {
            engine: self.engine.clone(),
            preset: self.preset.clone(),
            batch_size: self.batch_size,
            options,
            engine_options,
        };
        let size = serde_json::to_vec(&request).map_or(0, |json| json.len());
        if size > LARGEST_REQUEST {
            return Err(Failure::Usage(format!(
                "the request has {size} bytes as JSON, more than {LARGEST_REQUEST}: put large data \
                 into a file and pass its path"
            )));
        }
        Ok(request)
    }
}

fn whole_options(given: &str) -> Result<Options, Failure> {
    let (source, text) = match given.strip_prefix('@') {
        None => (String::from("--options"), given.to_owned()),
        Some("-") => (
            String::from("standard input"),
            std::io::read_to_string(std::io::stdin()).map_err(|error| {
                Failure::Usage(format!("--options: standard input cannot be read: {error}"))
            })?,
        ),
        Some(path) => (
            path.to_owned(),
            std::fs::read_to_string(path).map_err(|error| {
                Failure::Usage(format!("--options: {path} cannot be read: {error}"))
            })?,
        ),
    };
    serde_json::from_str(&text).map_err(|error| {
        Failure::Usage(format!(
            "{source}: not a JSON object of options: {error}\nwrite it like '{{\"level\": 3}}'"
        ))
    })
}

fn add(flag: &str, options: &mut Options, given: &[String]) -> Result<(), Failure> {
    for text in given {
        let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(Failure::Usage(format!("{flag} `{text}`: write NAME=VALUE, like level=3")));
        };
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        options.insert(name.to_owned(), value);
    }
    Ok(())
}

/// `12`, `#12` or a UUID.
pub(super) fn run_ref(text: &str) -> Result<RunRef, String> {
    if let Ok(number) = text.strip_prefix('#').unwrap_or(text).parse() {
        return Ok(RunRef::Number(RunNumber(number)));
    }
    text.parse()
        .map(RunRef::Id)
        .map_err(|_| format!("`{text}` names no run: write its number, like 12, or its id, a UUID"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_option_is_json_where_it_is_json_and_text_elsewhere() {
        let arguments = RequestArguments {
            option: ["level=3", "name=ada", "deep={\"a\":[1]}", "text=\"3\"", "empty="]
                .map(String::from)
                .to_vec(),
            options: Some(String::from("{\"level\": 1, \"other\": null}")),
            ..RequestArguments::default()
        };
        let options = arguments.request().unwrap().options;
        assert_eq!(
            serde_json::to_value(options).unwrap(),
            json!({
                "level": 3, "name": "ada", "deep": {"a": [1]}, "text": "3", "empty": "",
                "other": null,
            })
        );
    }

    #[test]
    fn a_run_is_named_by_its_number_or_its_id() {
        assert_eq!(run_ref("12"), Ok(RunRef::Number(RunNumber(12))));
        assert_eq!(run_ref("#12"), Ok(RunRef::Number(RunNumber(12))));
        assert!(run_ref("0193a1b2-7c4d-7e5f-8a9b-0c1d2e3f4a5b").is_ok());
        assert!(run_ref("latest").is_err());
    }
}
