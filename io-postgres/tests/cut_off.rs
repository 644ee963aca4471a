//! Connections that are cut at the worst moment, by a proxy before the server: before a request
//! gets through, and after it was carried out but before its answer. Nothing is guessed, nothing
//! is lost, nothing happens twice.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

mod scene;
mod server;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use horarium_core::ledger::{Command, Reply, Stale};
use horarium_core::store::{Store, StoreError};
use horarium_core::words::{RunId, RunnerId};
use horarium_postgres::{OpenOptions, PostgresStore};
use scene::{Says, Scene, turn, wish};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// When a connection is cut: at the first request that contains these bytes.
#[derive(Debug, Clone)]
enum Cut {
    /// Before the server sees it.
    Before(Vec<u8>),
    /// When the server has answered it.
    After(Vec<u8>),
}

impl Cut {
    fn is_at(&self, request: &[u8]) -> bool {
        let (Self::Before(bytes) | Self::After(bytes)) = self;
        request.windows(bytes.len()).any(|window| window == bytes)
    }
}

/// What is to be cut next, if anything. Each cut is made once.
type Next = Arc<Mutex<Option<Cut>>>;

/// A store of the scene's ledger whose connections go through a proxy.
async fn through_a_proxy(scene: &Scene) -> (PostgresStore, Next) {
    let location = scene.database.location();
    let (before, place) = location.split_once("://").unwrap();
    let (place, database) = place.split_once('/').unwrap();
    let (user, server) = place.rsplit_once('@').unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let next = Next::default();
    let (server, cuts) = (server.to_owned(), Arc::clone(&next));
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(&server).await.unwrap();
            tokio::spawn(forward(client, server, Arc::clone(&cuts)));
        }
    });
    let proxied = format!("{before}://{user}@127.0.0.1:{port}/{database}");
    let clock = horarium_postgres::Clock::Settable(scene.clock.clone());
    let options = OpenOptions::at(&proxied).unwrap().connections(1).clock(clock);
    (PostgresStore::open(&options).await.unwrap(), next)
}

/// Carries bytes both ways until somebody hangs up or the connection is cut.
async fn forward(client: TcpStream, server: TcpStream, next: Next) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let answer_is_lost = Arc::new(AtomicBool::new(false));
    let is_lost = Arc::clone(&answer_is_lost);
    let up = async move {
        let mut request = vec![0; 1 << 16];
        while let Ok(length @ 1..) = from_client.read(&mut request).await {
            let request = &request[..length];
            let cut = next.lock().unwrap().take_if(|cut| cut.is_at(request));
            match cut {
                Some(Cut::Before(_)) => return,
                Some(Cut::After(_)) => is_lost.store(true, Ordering::SeqCst),
                None => {}
            }
            if to_server.write_all(request).await.is_err() {
                return;
            }
        }
    };
    let down = async move {
        let mut answer = vec![0; 1 << 16];
        while let Ok(length @ 1..) = from_server.read(&mut answer).await {
            let is_lost = answer_is_lost.load(Ordering::SeqCst);
            if is_lost || to_client.write_all(&answer[..length]).await.is_err() {
                return;
            }
        }
    };
    // Whichever ends first takes the other along, and with it both connections.
    tokio::select! {
        () = up => {}
        () = down => {}
    }
}

fn cut(next: &Next, cut: Cut) {
    *next.lock().unwrap() = Some(cut);
}

fn commit() -> Vec<u8> {
    b"COMMIT".to_vec()
}

fn enqueue(run: u128) -> Command {
    Command::Enqueue(vec![wish(run, "backup")])
}

#[tokio::test]
async fn a_commit_without_an_answer_is_unknown_and_said_again_it_happens_once() {
    for (at, happened) in [(Cut::Before(commit()), false), (Cut::After(commit()), true)] {
        let scene = Scene::new().await;
        let (store, next) = through_a_proxy(&scene).await;
        cut(&next, at.clone());
        let answer = store.submit(&enqueue(1)).await;
        assert!(matches!(answer, Err(StoreError::Unknown(_))), "{at:?}: {answer:?}");
        let found = scene.store.dump().await.unwrap().runs.len();
        assert_eq!(found, usize::from(happened), "{at:?}");

        let again = store.submit(&enqueue(1)).await.unwrap();
        let Reply::Enqueued(answers) = again else { panic!("{again:?}") };
        assert_eq!(answers[0].clone().unwrap().existed, happened, "{at:?}");
        assert_eq!(scene.store.dump().await.unwrap().runs.len(), 1, "{at:?}");
    }
}

#[tokio::test]
async fn a_connection_that_is_lost_before_the_commit_is_no_matter() {
    for needle in ["BEGIN", "nextval", "backup"] {
        for cut_at in [Cut::Before(needle.into()), Cut::After(needle.into())] {
            let scene = Scene::new().await;
            let (store, next) = through_a_proxy(&scene).await;
            cut(&next, cut_at.clone());
            let answer = store.submit(&enqueue(1)).await;
            let Ok(Reply::Enqueued(answers)) = answer else { panic!("{cut_at:?}: {answer:?}") };
            assert!(!answers[0].clone().unwrap().existed, "{cut_at:?}");
            assert!(next.lock().unwrap().is_none(), "nothing was cut: {cut_at:?}");
            assert_eq!(scene.store.dump().await.unwrap().runs.len(), 1);
        }
    }
}

#[tokio::test]
async fn what_a_lost_answer_handed_over_is_handed_over_again() {
    let scene = Scene::new().await;
    let runner = scene.runner(0xfeed_beef_0123_4567_89ab).await;
    let (store, next) = through_a_proxy(&scene).await;
    // Once in peace, so that the statement is prepared and the cut meets its execution.
    store.submit(&turn(runner, 1, 5, Says::default())).await.unwrap();
    scene.enqueue(vec![wish(1, "backup"), wish(2, "mail")]).await;
    let bytes = RunnerId::to_bytes(runner).to_vec();

    cut(&next, Cut::After(bytes.clone()));
    let lost = store.submit(&turn(runner, 2, 5, Says::default())).await;
    assert!(matches!(lost, Err(StoreError::Unknown(_))), "{lost:?}");
    // The turn happened: its number is taken, and the runs are held.
    let stale = store.submit(&turn(runner, 2, 5, Says::default())).await.unwrap();
    assert_eq!(stale, Reply::Stale(Stale::Number { taken: 2 }));
    let held = scene.run(RunId::v7(0, 1)).await;
    let Reply::Turned(turned) = store.submit(&turn(runner, 3, 5, Says::default())).await.unwrap()
    else {
        panic!("stale");
    };
    assert_eq!(turned.granted.len(), 2);
    assert_eq!(turned.granted[0].claim.fence, held.hold().unwrap().fence);

    // And one that never reached the server did not.
    cut(&next, Cut::Before(bytes));
    let claims: Vec<_> = turned.granted.iter().map(|grant| grant.claim).collect();
    let ended = || Says { ended: claims.clone(), ..Says::default() };
    let lost = store.submit(&turn(runner, 4, 5, ended())).await;
    assert!(matches!(lost, Err(StoreError::Unknown(_))), "{lost:?}");
    assert_eq!(scene.store.dump().await.unwrap().runners[&runner].turn, 3);
    store.submit(&turn(runner, 5, 5, ended())).await.unwrap();
    let rows = scene.store.dump().await.unwrap();
    assert!(rows.runs.values().all(|run| !run.is_active()));
    assert_eq!(horarium_core::ledger::audit::check(&rows), []);
}
