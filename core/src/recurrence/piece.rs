//! Pieces of a text, each with its column, so that a refusal can say where.

/// A piece of a rule's text with its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    /// Of its first byte, from 1.
    pub(super) column: usize,
}

/// The parts of `text` between any of `separators`, each with its column.
pub(super) fn pieces<'a>(
    text: &'a str,
    separators: &'a [char],
    column: usize,
) -> impl Iterator<Item = Piece<'a>> {
    let mut next = column;
    text.split(separators).map(move |part| {
        let piece = Piece { text: part, column: next };
        next += part.len() + 1; // every separator is one byte
        piece
    })
}
