//! Which file system a database lies on.
//!
//! SQLite's write-ahead log needs memory that all processes share, and file locks that hold: on a
//! network file system neither is certain, and a broken lock can damage the file.

use std::fmt;
use std::path::Path;

use rustix::fs::statfs;

/// A file system that reaches over a network, or may do so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkFileSystem {
    /// NFS.
    Nfs,
    /// SMB or CIFS.
    Smb,
    /// 9P, as virtual machines share directories.
    NineP,
    /// FUSE: what is behind it is not known.
    Fuse,
    /// Ceph.
    Ceph,
    /// AFS.
    Afs,
    /// Lustre.
    Lustre,
}

impl NetworkFileSystem {
    /// The one that `directory` lies on, if it is one and the system says so.
    pub(crate) fn of(directory: &Path) -> Option<Self> {
        let magic = statfs(directory).ok()?.f_type;
        // The magic numbers are 32 bits wide, in a field that is wider on some platforms and
        // signed on most.
        Self::from_magic(u32::try_from(i128::from(magic) & 0xffff_ffff).ok()?)
    }

    /// By the numbers in Linux's statfs(2).
    const fn from_magic(magic: u32) -> Option<Self> {
        match magic {
            0x6969 => Some(Self::Nfs),
            0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some(Self::Smb),
            0x0102_1997 => Some(Self::NineP),
            0x6573_5546 => Some(Self::Fuse),
            0x00c3_6400 => Some(Self::Ceph),
            0x5346_414f => Some(Self::Afs),
            0x0bd0_0bd0 => Some(Self::Lustre),
            _ => None,
        }
    }
}

impl fmt::Display for NetworkFileSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nfs => "NFS",
            Self::Smb => "SMB",
            Self::NineP => "9P",
            Self::Fuse => "FUSE",
            Self::Ceph => "Ceph",
            Self::Afs => "AFS",
            Self::Lustre => "Lustre",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_network_file_systems_are_known_and_local_ones_are_none() {
        assert_eq!(NetworkFileSystem::from_magic(0x6969), Some(NetworkFileSystem::Nfs));
        assert_eq!(NetworkFileSystem::from_magic(0xff53_4d42), Some(NetworkFileSystem::Smb));
        for local in [0xef53, 0x9123_683e, 0x0102_1994, 0x5846_5342, 0x794c_7630] {
            assert_eq!(NetworkFileSystem::from_magic(local), None);
        }
    }
}
