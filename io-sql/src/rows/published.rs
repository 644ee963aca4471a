//! Entries of the catalogue.

use horarium_core::catalogue::{CatalogueHash, Published};

use crate::columns::{Columns, Corrupt, Fields};

/// Reads a row.
pub fn read(row: &impl Columns) -> Result<Published, Corrupt> {
    let fields = Fields::of(row, "catalogue entry", "hash");
    Ok(Published {
        hash: CatalogueHash(fields.text("hash")?.to_owned()),
        definition: fields.json("definition")?,
        at: fields.time("published_at")?,
        by: fields.json_optional("published_by")?,
    })
}
