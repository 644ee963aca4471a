//! The shells of Horarium: everything here waits, spawns, reads and prints; nothing here decides.
