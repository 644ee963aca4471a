//! The zone data of this process: those that are compiled in, or a copy on this machine.
//!
//! Promises: chosen once, at the first question, and the same ever after; the machine's own copy
//! only when it is newer than the compiled-in data; a copy that is broken or incomplete is not used
//! at all, and that is said.
//!
//! This is the shell's: core has no zone data in force, and is told them with every question.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use horarium_core::recurrence::{Zone, ZoneData, ZoneDataError, ZoneError, ZoneRelease};
use tracing::warn;

/// Where a copy is looked for: a directory, or `bundled` for the compiled-in data.
pub const VARIABLE: &str = "HORARIUM_TZDIR";

/// Where machines keep their copy.
const SYSTEM: &str = "/usr/share/zoneinfo";
/// What the compiled-in data are called.
const BUNDLED: &str = "bundled";
/// The source text of the database, which says its release and its links.
const SOURCE: &str = "tzdata.zi";
/// Where else a release may be said.
const RELEASE_FILES: [&str; 2] = ["+VERSION", "version"];
/// What is no zone, or a zone of this machine only.
const NO_ZONES: [&str; 4] = ["posix", "right", "localtime", "posixrules"];
/// How every compiled zone begins.
const MAGIC: &[u8] = b"TZif";
/// More than any copy has, so that a wrong directory is not read to its end.
const MOST_FILES: usize = 5_000;
const LARGEST_FILE: u64 = 512 * 1024;
/// How deep zones lie: `America/Argentina/Buenos_Aires`.
const DEEPEST: usize = 3;

/// The zone data of this process.
#[derive(Debug)]
pub struct InForce {
    data: ZoneData,
    origin: Origin,
    /// Why a copy is not used although it was meant to be.
    refused: Option<CopyError>,
}

/// Where zone data come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// They are compiled in.
    Bundled,
    /// They were read from this directory.
    Directory(PathBuf),
}

/// A copy that is not used.
#[derive(Debug, thiserror::Error)]
#[error(
    "the zone data in {} are not used, {release} that is compiled in is: {why}; mend that copy, or set {VARIABLE}={BUNDLED}",
    directory.display(),
    release = ZoneRelease::BUNDLED,
)]
pub struct CopyError {
    /// Where it lies.
    directory: PathBuf,
    /// What is wrong with it.
    why: CopyProblem,
}

/// What is wrong with a copy.
#[derive(Debug, thiserror::Error)]
enum CopyProblem {
    #[error("no file there says which release it is, neither {SOURCE} nor +VERSION nor version")]
    NoRelease,
    #[error("{} cannot be read ({source})", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("it has more files than zone data have, or larger ones")]
    TooLarge,
    #[error(transparent)]
    Data(#[from] ZoneDataError),
}

/// The zone data of this process.
pub fn in_force() -> &'static InForce {
    static IN_FORCE: OnceLock<InForce> = OnceLock::new();
    IN_FORCE.get_or_init(|| {
        let wanted = std::env::var_os(VARIABLE).filter(|wanted| !wanted.is_empty());
        InForce::choose(wanted.as_deref().map(Path::new))
    })
}

/// The zone of that name: how arguments are read.
pub fn zone(name: &str) -> Result<Zone, ZoneError> {
    in_force().data.zone(name)
}

/// What `--version` says.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| format!("{}\n{}", env!("CARGO_PKG_VERSION"), in_force()))
}

impl InForce {
    /// The data that were wanted: the newer of the compiled-in and the machine's own when nothing
    /// was, and the compiled-in ones when the others cannot be used.
    fn choose(wanted: Option<&Path>) -> Self {
        let bundled =
            |refused| Self { data: ZoneData::bundled(), origin: Origin::Bundled, refused };
        let (directory, must_be_newer) = match wanted {
            Some(wanted) if wanted == Path::new(BUNDLED) => return bundled(None),
            Some(directory) => (directory, false),
            None => (Path::new(SYSTEM), true),
        };
        let copy = match release_of(directory) {
            Some(release) if must_be_newer && release <= ZoneRelease::BUNDLED => {
                return bundled(None);
            }
            // Most machines whose copy says no release have none.
            None if must_be_newer => return bundled(None),
            Some(release) => read_copy(directory, release),
            None => Err(CopyProblem::NoRelease),
        };
        match copy {
            Ok(data) => {
                Self { data, origin: Origin::Directory(directory.to_owned()), refused: None }
            }
            Err(why) => bundled(Some(CopyError { directory: directory.to_owned(), why })),
        }
    }

    /// The data.
    pub const fn data(&self) -> &ZoneData {
        &self.data
    }

    /// Why a copy is not used although it was meant to be.
    pub const fn refused(&self) -> Option<&CopyError> {
        self.refused.as_ref()
    }

    /// Logs a copy that is not used.
    pub fn warn(&self) {
        if let Some(refused) = &self.refused {
            warn!("{refused}");
        }
    }
}

/// `zone data 2026f (bundled)`.
impl fmt::Display for InForce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "zone data {} ({})", self.data.release(), self.origin)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bundled => f.write_str(BUNDLED),
            Self::Directory(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Which release a directory says that it holds.
fn release_of(directory: &Path) -> Option<ZoneRelease> {
    let source = first_line(&directory.join(SOURCE));
    let said = source.as_deref().and_then(|line| line.strip_prefix("# version ")?.parse().ok());
    said.or_else(|| {
        let mut files = RELEASE_FILES.iter().map(|name| directory.join(name));
        files.find_map(|path| first_line(&path)?.trim().parse().ok())
    })
}

fn first_line(path: &Path) -> Option<String> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(80).read_to_end(&mut start).ok()?;
    let start = String::from_utf8_lossy(&start);
    start.lines().next().map(str::to_owned)
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> CopyProblem {
    move |source| CopyProblem::Unreadable { path: path.to_owned(), source }
}

fn read_copy(directory: &Path, release: ZoneRelease) -> Result<ZoneData, CopyProblem> {
    let mut files = BTreeMap::new();
    collect(directory, "", 1, &mut files)?;
    add_links(directory, &mut files)?;
    Ok(ZoneData::from_files(release, files)?)
}

/// The compiled zones of a directory and of those below it.
fn collect(
    directory: &Path,
    prefix: &str,
    depth: usize,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), CopyProblem> {
    for entry in fs::read_dir(directory).map_err(unreadable(directory))? {
        let entry = entry.map_err(unreadable(directory))?;
        let (path, file_name) = (entry.path(), entry.file_name());
        let Some(file_name) = file_name.to_str().filter(|name| !name.starts_with(['.', '+']))
        else {
            continue;
        };
        if prefix.is_empty() && NO_ZONES.contains(&file_name) {
            continue;
        }
        let name = format!("{prefix}{file_name}");
        let kind = entry.file_type().map_err(unreadable(&path))?;
        if kind.is_dir() {
            if depth < DEEPEST {
                collect(&path, &format!("{name}/"), depth + 1, files)?;
            }
        } else if let Some(bytes) = read_zone(&path)? {
            if files.len() >= MOST_FILES {
                return Err(CopyProblem::TooLarge);
            }
            files.insert(name, bytes);
        }
    }
    Ok(())
}

/// The bytes of a compiled zone; nothing for other files and links that lead nowhere.
fn read_zone(path: &Path) -> Result<Option<Vec<u8>>, CopyProblem> {
    if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return Ok(None);
    }
    let mut file = File::open(path).map_err(unreadable(path))?;
    let mut bytes = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes).map_err(unreadable(path))?;
    if bytes != MAGIC {
        return Ok(None);
    }
    file.take(LARGEST_FILE).read_to_end(&mut bytes).map_err(unreadable(path))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(CopyProblem::TooLarge);
    }
    Ok(Some(bytes))
}

/// Some machines keep old names apart and do not install them: the source text knows them still,
/// as lines `L TARGET NAME`.
fn add_links(directory: &Path, files: &mut BTreeMap<String, Vec<u8>>) -> Result<(), CopyProblem> {
    let path = directory.join(SOURCE);
    let mut text = String::new();
    match File::open(&path) {
        Ok(file) => {
            file.take(4 * LARGEST_FILE).read_to_string(&mut text).map_err(unreadable(&path))?
        }
        Err(_) => return Ok(()),
    };
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        if let (Some("L"), Some(target), Some(name)) = (words.next(), words.next(), words.next())
            && !files.contains_key(name)
            && let Some(bytes) = files.get(target)
        {
            files.insert(name.to_owned(), bytes.clone());
        }
    }
    Ok(())
}
