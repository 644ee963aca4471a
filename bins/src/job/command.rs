//! What a job executes, checked before anything is started.
//!
//! Promises: a program is looked up here and not by a shell; what cannot be started is refused
//! with the thing that is wrong, where it was looked for, and what to do.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{Access, AtFlags, CWD, accessat};

use crate::guard::{GUARD_VARIABLE, GuardLost, JobKey, MARK};

/// Where a program is searched when the job has no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What speaks to the runner alone: the guard's socket, the service supervisor's, and the key to
/// the ledger, which a job gets only when its handler names it.
const NOT_INHERITED: [&str; 9] = [
    GUARD_VARIABLE,
    "HORARIUM_STORE",
    "PGPASSWORD",
    "NOTIFY_SOCKET",
    "WATCHDOG_PID",
    "WATCHDOG_USEC",
    "LISTEN_PID",
    "LISTEN_FDS",
    "LISTEN_FDNAMES",
];

/// A command to be executed, without a shell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobCommand {
    /// The program and its arguments. A program without a `/` is searched in the job's own
    /// `PATH`; a relative one with a `/` is below `directory`.
    pub argv: Vec<String>,
    /// Where the job runs; without it, where the runner runs.
    pub directory: Option<PathBuf>,
    /// Variables that are set for the job.
    pub environment: Vec<(String, String)>,
    /// True to start from an empty environment instead of the runner's own.
    pub clear_environment: bool,
    /// What the job reads on its standard input before the end of it.
    pub stdin: Vec<u8>,
    /// How many bytes are kept of each of standard output and standard error, from the end.
    pub output_limit: usize,
    /// True to pass the output on to the runner's own, live.
    pub tee: bool,
}

/// Why a job was not started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// `argv` is empty.
    #[error("the command is empty: name a program")]
    NoProgram,
    /// The program is in no directory of the search path.
    #[error(
        "program `{program}` is not in PATH ({path}): install it, extend the job's PATH, or write its full path"
    )]
    ProgramNotFound {
        /// `argv[0]`.
        program: String,
        /// The search path that was used.
        path: String,
    },
    /// There is no file where the program should be.
    #[error("program {0} does not exist: correct the path, or install it", path.display())]
    ProgramMissing {
        /// Where it should be.
        path: PathBuf,
    },
    /// The program's file is there but may not be executed.
    #[error("{} may not be executed: give it execute permission (chmod +x), or run the runner as a user that may", path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
    /// The `#!` line names a program that does not exist.
    #[error("{} begins with `#!{interpreter}`, which does not exist: correct its first line, or install that program", path.display())]
    InterpreterMissing {
        /// The script.
        path: PathBuf,
        /// What its first line names.
        interpreter: String,
    },
    /// The file is neither a program of this machine nor a script with a `#!` line.
    #[error("{} is no program for this machine: a script needs a first line like #!/bin/sh", path.display())]
    NotAProgram {
        /// The file.
        path: PathBuf,
    },
    /// The directory is missing, is none, or may not be entered.
    #[error("the job cannot run in directory {} ({source}): create it, correct the path, or permit the runner's user to enter it", directory.display())]
    Directory {
        /// The directory.
        directory: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A name that no environment variable can have.
    #[error(
        "`{name}` cannot name an environment variable: it must not be empty nor contain `=` or a NUL byte"
    )]
    EnvironmentName {
        /// The name.
        name: String,
    },
    /// A NUL byte, which ends a string for the system.
    #[error("{place} contains a NUL byte, which cannot be passed to a program")]
    NulByte {
        /// Where it stands.
        place: String,
    },
    /// More than the system takes.
    #[error(
        "arguments and environment together are larger than the system takes: pass data on standard input instead"
    )]
    TooLarge,
    /// The deadline had passed before the job could be started.
    #[error("the job's deadline passed before it could be started")]
    Late,
    /// It was told to end before it was started.
    #[error("the job was told to end before it was started")]
    Withdrawn,
    /// Nobody would kill it in time.
    #[error(transparent)]
    GuardLost(#[from] GuardLost),
    /// It was started and killed at once, or not started, since the runner has no thread or no file
    /// descriptor left to attend to it.
    #[error(
        "the runner cannot attend to one more job ({source}): lower its concurrency, or raise its limits on threads and open files"
    )]
    Unattended {
        /// What the system says.
        source: io::Error,
    },
    /// The system refused for another reason, like a limit on processes or open files.
    #[error("the system cannot start {} ({source}): see the limits of the runner's user and the machine's memory", path.display())]
    Other {
        /// The program's file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A command whose program was found.
#[derive(Debug)]
pub(super) struct PreparedCommand {
    path: PathBuf,
    command: Command,
}

impl JobCommand {
    /// Look everything up and set everything up, short of starting it.
    pub(super) fn prepare(&self, key: &JobKey) -> Result<PreparedCommand, SpawnError> {
        self.refuse_nul_bytes()?;
        if let Some(directory) = &self.directory {
            enterable(directory)
                .map_err(|source| SpawnError::Directory { directory: directory.clone(), source })?;
        }
        let Some((program, arguments)) = self.argv.split_first() else {
            return Err(SpawnError::NoProgram);
        };
        let path = self.find(program)?;

        let mut command = Command::new(&path);
        command.arg0(program).args(arguments).process_group(0);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if self.stdin.is_empty() { Stdio::null() } else { Stdio::piped() });
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        if self.clear_environment {
            command.env_clear();
        }
        for name in NOT_INHERITED {
            command.env_remove(name);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        // A runner that is itself a job hands its own mark on, so that the outer guard knows the
        // inner job, too.
        let mark =
            env::var(MARK).map_or_else(|_| key.to_string(), |outer| format!("{outer} {key}"));
        command.env(MARK, mark);
        Ok(PreparedCommand { path, command })
    }

    fn refuse_nul_bytes(&self) -> Result<(), SpawnError> {
        let nul = |place: String| Err(SpawnError::NulByte { place });
        if let Some(index) = self.argv.iter().position(|argument| argument.contains('\0')) {
            return nul(format!("argument {index} of the command"));
        }
        for (name, value) in &self.environment {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(SpawnError::EnvironmentName { name: name.clone() });
            }
            if value.contains('\0') {
                return nul(format!("the value of the environment variable `{name}`"));
            }
        }
        Ok(())
    }

    /// The file to execute for `program`.
    fn find(&self, program: &str) -> Result<PathBuf, SpawnError> {
        let base = self.directory.clone().unwrap_or_default();
        if program.contains('/') {
            let path = base.join(program);
            return match executable(&path) {
                Ok(()) => absolute(path),
                Err(io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                    Err(SpawnError::ProgramMissing { path })
                }
                Err(_) => Err(SpawnError::NotExecutable { path }),
            };
        }
        let search_path = self.search_path();
        let mut found = None;
        for directory in env::split_paths(&search_path) {
            // An empty entry means the current directory.
            let path = base.join(directory).join(program);
            match executable(&path) {
                Ok(()) => return absolute(path),
                Err(io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(_) => found = found.or(Some(path)),
            }
        }
        match found {
            Some(path) => Err(SpawnError::NotExecutable { path }),
            None => Err(SpawnError::ProgramNotFound {
                program: program.to_owned(),
                path: search_path.to_string_lossy().into_owned(),
            }),
        }
    }

    /// The `PATH` that the job itself will have.
    fn search_path(&self) -> OsString {
        let own = self.environment.iter().rev().find(|(name, _)| name == "PATH");
        match own {
            Some((_, path)) => path.into(),
            None if self.clear_environment => DEFAULT_PATH.into(),
            None => env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into()),
        }
    }
}

impl PreparedCommand {
    /// Start it.
    pub(super) fn spawn(mut self) -> Result<std::process::Child, SpawnError> {
        self.command.spawn().map_err(|error| refusal(self.path, error))
    }
}

/// Why the system did not execute a file that was there and executable an instant ago.
fn refusal(path: PathBuf, error: io::Error) -> SpawnError {
    match error.kind() {
        io::ErrorKind::NotFound => match interpreter(&path) {
            Some(interpreter) => SpawnError::InterpreterMissing { path, interpreter },
            None => SpawnError::ProgramMissing { path },
        },
        io::ErrorKind::PermissionDenied => SpawnError::NotExecutable { path },
        io::ErrorKind::ArgumentListTooLong => SpawnError::TooLarge,
        _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
            SpawnError::NotAProgram { path }
        }
        _ => SpawnError::Other { path, source: error },
    }
}

/// What the `#!` line of a script names.
fn interpreter(path: &Path) -> Option<String> {
    let mut line = Vec::new();
    let file = fs::File::open(path).ok()?;
    let mut start = BufReader::new(io::Read::take(file, 256));
    start.read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8_lossy(&line);
    Some(line.strip_prefix("#!")?.trim().to_owned())
}

/// Is `path` a file that we may execute?
fn executable(path: &Path) -> Result<(), io::ErrorKind> {
    let file = fs::metadata(path).map_err(|error| error.kind())?;
    if !file.is_file() {
        return Err(io::ErrorKind::PermissionDenied);
    }
    may_execute(path).map_err(|error| error.kind())
}

/// Is `path` a directory that we may enter?
fn enterable(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_dir() {
        may_execute(path)
    } else {
        Err(rustix::io::Errno::NOTDIR.into())
    }
}

fn may_execute(path: &Path) -> io::Result<()> {
    Ok(accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS)?)
}

/// The job changes its directory before its program is executed, so that must not be relative.
fn absolute(path: PathBuf) -> Result<PathBuf, SpawnError> {
    std::path::absolute(&path).map_err(|source| SpawnError::Other { path, source })
}
