//! Connections by TLS: what each `sslmode` takes and refuses. The server gets its certificate from
//! the test, and takes TLS beside plain connections from then on.
#![allow(clippy::unwrap_used)] // what the tests share may fail as they do

mod server;

use std::io::Write as _;
use std::time::Duration;

use horarium_postgres::{LeaderLock, OpenError, OpenOptions, PostgresStore};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use server::Database;
use sqlx::{AssertSqlSafe, Connection as _};
use tempfile::NamedTempFile;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::OnceCell;

/// The name that the server's certificate is for. It is not the address in its location.
const NAME: &str = "localhost";

/// Who signs certificates.
struct Authority {
    certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "An authority of the tests");
        let certificate = params.self_signed(&key).unwrap().pem();
        Self { certificate, issuer: Issuer::new(params, key) }
    }

    /// The certificate and the key of a server.
    fn sign(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        (certificate.pem(), key.serialize_pem())
    }

    /// A file with the certificate.
    fn file(&self) -> NamedTempFile {
        let mut file = NamedTempFile::new().unwrap();
        file.write_all(self.certificate.as_bytes()).unwrap();
        file
    }
}

/// The authority of the server, which takes TLS once it is there.
async fn authority() -> &'static Authority {
    static AUTHORITY: OnceCell<Authority> = OnceCell::const_new();
    AUTHORITY
        .get_or_init(async || {
            let authority = Authority::new();
            let (certificate, key) = authority.sign(NAME);
            let database = Database::fresh().await;
            let mut connection = database.connection().await;
            // Written by the server, whose own the key has to be, into its data folder.
            for statement in [
                write("tests.crt", &certificate),
                write("tests.key", &key),
                String::from("ALTER SYSTEM SET ssl_cert_file = 'tests.crt'"),
                String::from("ALTER SYSTEM SET ssl_key_file = 'tests.key'"),
                String::from("ALTER SYSTEM SET ssl = on"),
                String::from("SELECT pg_reload_conf()"),
            ] {
                sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
            }
            // The reload is done some time after it was asked for.
            let required = format!("{}?sslmode=require", database.location());
            while sqlx::PgConnection::connect(&required).await.is_err() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            authority
        })
        .await
}

fn write(name: &str, pem: &str) -> String {
    let lines: Vec<String> = pem.lines().map(|line| format!("('{line}')")).collect();
    format!("COPY (VALUES {}) TO PROGRAM 'umask 077; cat > {name}'", lines.join(", "))
}

/// A ledger on the server as the certificate's name has it, with these parameters.
async fn ledger(database: &Database, parameters: &str) -> String {
    PostgresStore::migrate(&OpenOptions::at(&database.location()).unwrap()).await.unwrap();
    format!("{}?{parameters}", database.location().replace("127.0.0.1", NAME))
}

/// Whether all connections of a database but this one are by TLS.
async fn encrypted(database: &Database) -> Vec<bool> {
    let location = format!("{}?sslmode=disable", database.location());
    let mut connection = sqlx::PgConnection::connect(&location).await.unwrap();
    sqlx::query_scalar(
        "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
         WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND application_name LIKE 'horarium%'",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap()
}

/// Opens and reads, and says whether the connection is by TLS.
async fn open(database: &Database, location: &str) -> Result<bool, OpenError> {
    let options = OpenOptions::at(location)?.connections(1);
    let store = PostgresStore::open(&options).await?;
    store.dump().await.unwrap();
    let encrypted = encrypted(database).await;
    assert!(!encrypted.is_empty());
    Ok(encrypted.into_iter().all(|is| is))
}

#[tokio::test]
async fn a_connection_is_by_tls_unless_it_is_disabled() {
    authority().await;
    for (parameters, expected) in [
        ("", true),
        ("sslmode=prefer", true),
        ("sslmode=require", true),
        ("sslmode=disable", false),
    ] {
        let database = Database::fresh().await;
        let location = ledger(&database, parameters).await;
        assert_eq!(open(&database, &location).await.unwrap(), expected, "{parameters}");
    }
}

#[tokio::test]
async fn a_verified_connection_takes_the_named_authority_alone() {
    let own = authority().await.file();
    let other = Authority::new().file();
    for mode in ["verify-ca", "verify-full"] {
        let database = Database::fresh().await;
        let known = format!("sslmode={mode}&sslrootcert={}", own.path().display());
        let location = ledger(&database, &known).await;
        assert!(open(&database, &location).await.unwrap(), "{mode}");
        let foreign = format!("sslmode={mode}&sslrootcert={}", other.path().display());
        for parameters in [foreign, format!("sslmode={mode}")] {
            let location = ledger(&database, &parameters).await;
            let refused = open(&database, &location).await.unwrap_err();
            assert!(matches!(refused, OpenError::Untrusted { .. }), "{parameters}: {refused}");
        }
    }
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused_where_the_name_counts() {
    let own = authority().await.file();
    let database = Database::fresh().await;
    let at = async |mode: &str| {
        let parameters = format!("sslmode={mode}&sslrootcert={}", own.path().display());
        let location = ledger(&database, &parameters).await.replace(NAME, "127.0.0.1");
        open(&database, &location).await
    };
    assert!(at("verify-ca").await.unwrap());
    let refused = at("verify-full").await.unwrap_err();
    assert!(matches!(refused, OpenError::Untrusted { .. }), "{refused}");
}

#[tokio::test]
async fn a_server_without_tls_is_refused_where_tls_is_required() {
    for mode in ["require", "verify-ca", "verify-full"] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        // Answers a request for TLS as a server without it does, and hears how much comes then.
        let plain = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 8];
            stream.read_exact(&mut request).await.unwrap();
            stream.write_all(b"N").await.unwrap();
            stream.read(&mut request).await.unwrap()
        };
        let location = format!("postgres://ada:s3cret@127.0.0.1:{port}/work?sslmode={mode}");
        let options = OpenOptions::at(&location).unwrap();
        let (refused, more) = tokio::join!(PostgresStore::open(&options), plain);
        let refused = refused.unwrap_err();
        assert!(matches!(refused, OpenError::Untrusted { .. }), "{mode}: {refused}");
        assert_eq!(more, 0, "{mode}: nothing is said in plain");
    }
}

#[tokio::test]
async fn hints_and_the_leaders_lock_are_by_tls_too() {
    let own = authority().await.file();
    let database = Database::fresh().await;
    let parameters = format!("sslmode=verify-full&sslrootcert={}", own.path().display());
    let location = ledger(&database, &parameters).await;
    let store = PostgresStore::open(&OpenOptions::at(&location).unwrap()).await.unwrap();
    let hints = store.hints().await.unwrap();
    let lock = LeaderLock::try_acquire(&store, Duration::from_secs(1)).await.unwrap().unwrap();
    assert_eq!(encrypted(&database).await, [true, true]);
    drop((hints, lock));
}
