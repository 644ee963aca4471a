//! A proxy before the server that rewrites statements on the wire, so that broken SQL is made
//! without a switch in the store.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// Replaces each text by the other, in every statement that has it.
pub(crate) type Rewriting = &'static [(&'static str, &'static str)];

/// The location of a proxy before the server at `location`, and how often it rewrote.
pub(crate) async fn proxy(location: &str, rewriting: Rewriting) -> (String, Arc<AtomicU32>) {
    let (before, place) = location.split_once("://").unwrap();
    let (place, database) = place.split_once('/').unwrap();
    let (user, server) = place.rsplit_once('@').unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (server, count) = (server.to_owned(), Arc::new(AtomicU32::new(0)));
    let counter = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let Ok(server) = TcpStream::connect(&server).await else { continue };
            // Small messages that wait for each other would take 40 ms each.
            client.set_nodelay(true).unwrap();
            server.set_nodelay(true).unwrap();
            let (from_client, mut to_client) = client.into_split();
            let (mut from_server, to_server) = server.into_split();
            let counter = Arc::clone(&counter);
            tokio::spawn(async move {
                tokio::select! {
                    _ = up(from_client, to_server, rewriting, &counter) => {}
                    _ = tokio::io::copy(&mut from_server, &mut to_client) => {}
                }
            });
        }
    });
    (format!("{before}://{user}@127.0.0.1:{port}/{database}"), count)
}

/// Carries messages to the server: first one without a type, then a type, a length and a body each
/// (<https://www.postgresql.org/docs/current/protocol-message-formats.html>).
async fn up(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    rewriting: Rewriting,
    count: &AtomicU32,
) -> std::io::Result<()> {
    let mut kind = None;
    loop {
        let length = usize::try_from(from.read_u32().await?).unwrap();
        let mut body = vec![0; length.saturating_sub(4)];
        from.read_exact(&mut body).await?;
        if kind == Some(b'P') {
            body = rewritten(&body, rewriting, count);
        }
        let mut message = Vec::from_iter(kind);
        message.extend(u32::try_from(body.len() + 4).unwrap().to_be_bytes());
        message.extend(body);
        to.write_all(&message).await?;
        kind = Some(from.read_u8().await?);
    }
}

/// Of a statement to prepare: name, text, kinds of parameters.
fn rewritten(body: &[u8], rewriting: Rewriting, count: &AtomicU32) -> Vec<u8> {
    let text = String::from_utf8_lossy(body).into_owned();
    let is_hit = rewriting.iter().any(|(old, _)| text.contains(old));
    if !is_hit {
        return body.to_vec();
    }
    count.fetch_add(1, Ordering::Relaxed);
    let name_end = body.iter().position(|byte| *byte == 0).unwrap() + 1;
    let text_end = name_end + body[name_end..].iter().position(|byte| *byte == 0).unwrap();
    let mut text = String::from_utf8(body[name_end..text_end].to_vec()).unwrap();
    for (old, new) in rewriting {
        text = text.replace(old, new);
    }
    [&body[..name_end], text.as_bytes(), &body[text_end..]].concat()
}
