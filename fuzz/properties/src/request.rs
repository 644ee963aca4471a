//! The JSON of a request.

use horarium_core::words::Request;

use crate::assert_read_back;

/// What is read is read back as it was, and written the same.
pub fn request(input: &[u8]) {
    let Ok(request) = serde_json::from_slice::<Request>(input) else { return };
    assert_read_back(&request);
    let json = serde_json::to_vec(&request).unwrap();
    let again: Request = serde_json::from_slice(&json).unwrap();
    assert_eq!(serde_json::to_vec(&again).unwrap(), json);
}
