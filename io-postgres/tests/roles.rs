//! Every role with a login of its own: together they do all that a ledger is for, and each is
//! refused what is not its to do.
#![allow(clippy::unwrap_used, clippy::panic)] // what the tests share may fail as they do

mod scene;
mod server;

use std::num::NonZeroU32;

use horarium_core::ledger::command::{Retention, Tick};
use horarium_core::ledger::{Claim, Command, Reply};
use horarium_core::store::{Reader as _, RunFilter, Store as _};
use horarium_core::words::{RunId, RunnerId, SchedulerId, Span};
use horarium_postgres::{OpenError, OpenOptions, PostgresStore, Role, RolePrefix};
use scene::{Says, turn, wish};
use server::Database;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection as _};

/// A ledger with its roles, and a login for each of them. Roles belong to the server, so their
/// names begin with the database's.
struct Ledger {
    database: Database,
    prefix: RolePrefix,
}

impl Ledger {
    async fn new() -> Self {
        let database = Database::fresh().await;
        let prefix: RolePrefix = database.name().parse().unwrap();
        let ledger = Self { database, prefix };
        let options = OpenOptions::at(&ledger.database.location()).unwrap();
        PostgresStore::migrate(&options).await.unwrap();
        PostgresStore::make_roles(&options, &ledger.prefix).await.unwrap();
        for role in [Role::Operator, Role::Scheduler, Role::Runner] {
            let group = ledger.prefix.name(role);
            ledger
                .as_owner(&format!("CREATE ROLE {group}_login LOGIN PASSWORD 'pw' IN ROLE {group}"))
                .await;
        }
        ledger
    }

    async fn as_owner(&self, statement: &str) {
        let mut connection = self.database.connection().await;
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
    }

    fn location(&self, role: Role) -> String {
        self.database.location_of(&format!("{}_login", self.prefix.name(role)), "pw")
    }

    fn options(&self, role: Role) -> OpenOptions {
        let roles: &[Role] = match role {
            Role::Operator => &[Role::Operator],
            Role::Scheduler => &[Role::Scheduler],
            Role::Runner => &[Role::Runner],
        };
        OpenOptions::at(&self.location(role)).unwrap().working_as(roles)
    }

    async fn store(&self, role: Role) -> PostgresStore {
        PostgresStore::open(&self.options(role)).await.unwrap()
    }

    /// What the server says to a statement of one role: the code of the refusal, if any.
    async fn refusal(&self, role: Role, statement: &str) -> Option<String> {
        let options: PgConnectOptions = self.location(role).parse().unwrap();
        let options = options.options([("search_path", "horarium")]);
        let mut connection = PgConnection::connect_with(&options).await.unwrap();
        let refused =
            sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.err()?;
        Some(refused.as_database_error().unwrap().code().unwrap().into_owned())
    }

    /// The roles go with the database: what they own and were granted first.
    async fn end(self) {
        let groups =
            [Role::Operator, Role::Scheduler, Role::Runner].map(|role| self.prefix.name(role));
        let mut names = vec![self.prefix.owner()];
        for group in groups {
            names.push(format!("{group}_login"));
            names.push(group);
        }
        let names = names.join(", ");
        self.as_owner(&format!("DROP OWNED BY {names} CASCADE; DROP ROLE {names}")).await;
    }
}

async fn tell(store: &PostgresStore, command: &Command) -> Reply {
    match store.submit(command).await {
        Ok(reply) => reply,
        Err(error) => panic!("{command:?}: {error:?}"),
    }
}

#[tokio::test]
async fn with_a_login_each_the_roles_do_all_that_a_ledger_is_for() {
    let ledger = Ledger::new().await;
    let operator = ledger.store(Role::Operator).await;
    let scheduler = ledger.store(Role::Scheduler).await;
    let runner = ledger.store(Role::Runner).await;

    tell(&operator, &scene::catalogue()).await;
    let id = RunnerId::from_bits(7);
    tell(&runner, &Command::Register(scene::registration(id))).await;
    tell(&operator, &Command::Enqueue(vec![wish(1, "backup"), wish(2, "mail")])).await;
    let claims = granted(tell(&runner, &turn(id, 1, 5, Says::default())).await);
    assert_eq!(claims.len(), 2);
    tell(&runner, &turn(id, 2, 5, Says { renewed: claims.clone(), ..Says::default() })).await;
    let given_back = Says { given_back: claims, ..Says::default() };
    tell(&runner, &turn(id, 3, 0, given_back)).await;
    tell(&operator, &Command::Cancel { run: RunId::v7(0, 2), by: scene::by() }).await;
    let claims = granted(tell(&runner, &turn(id, 4, 5, Says::default())).await);
    assert_eq!(claims.len(), 1);
    tell(&runner, &turn(id, 5, 0, Says { ended: claims, ..Says::default() })).await;

    tell(&operator, &scene::new_schedule("ocr", "* * * * *")).await;
    ledger.as_owner("UPDATE worker SET next_at = accounted_until WHERE name = 'ocr'").await;
    let limit = NonZeroU32::new(10).unwrap();
    let tick = Tick { scheduler: SchedulerId::from_bits(1), limit, seed: 1 };
    tell(&scheduler, &Command::Tick(tick)).await;
    let runs = operator.runs(&RunFilter { limit: 10, ..RunFilter::default() }).await.unwrap();
    assert_eq!(runs.len(), 3, "{runs:?}");

    tell(&runner, &Command::Sweep { limit }).await;
    tell(&scheduler, &Command::Sweep { limit }).await;
    tell(&runner, &Command::Retire { runner: id }).await;
    let everything = Retention { keep: Span::ZERO, keep_per_worker: 0, limit };
    let Reply::Pruned { runs, .. } = tell(&scheduler, &Command::Prune(everything)).await else {
        panic!("not pruned");
    };
    assert_eq!(runs, 2);
    tell(&operator, &Command::Prune(everything)).await;
    for store in [operator, scheduler, runner] {
        store.close().await;
    }
    ledger.end().await;
}

fn granted(reply: Reply) -> Vec<Claim> {
    let Reply::Turned(turned) = reply else { panic!("{reply:?}") };
    turned.granted.iter().map(|grant| grant.claim).collect()
}

const DENIED: &str = "42501";

#[tokio::test]
async fn each_role_is_refused_what_is_not_its_to_do() {
    const RUN: &str = "INSERT INTO run_live (id, number, enqueued_at, not_before, worker, handler,
        trigger, status, catalogue, timeout, request, config, retry, requested_by)
        VALUES (gen_random_uuid(), 1, 0, 0, 'w', 'w', 'MANUAL', 'QUEUED', '', '', '{}', '{}',
        '{}', '{}')";
    let ledger = Ledger::new().await;
    let nobody = [
        "DROP TABLE run_done",
        "ALTER TABLE run_live ADD COLUMN more int",
        "ALTER TABLE run_done DISABLE ROW LEVEL SECURITY",
        "CREATE TABLE more (one int)",
        "TRUNCATE run_done",
        "DROP INDEX uq_worker_run_active",
        "INSERT INTO schema_version VALUES (9, 9, 0)",
        "UPDATE ledger SET id = gen_random_uuid()",
        "SELECT setval('fence', 1)",
        "UPDATE run_live SET request = '{}'",
        "UPDATE run_done SET status = 'SUCCESS'",
    ];
    let (operator, scheduler, runner) = (
        [
            "SELECT nextval('fence')",
            "UPDATE run_live SET status = 'RUNNING'",
            "INSERT INTO runner SELECT * FROM runner",
            "UPDATE runner SET turn = 0",
            "UPDATE leadership SET since = 0",
            "UPDATE ledger SET zone_data = '9999z'",
            "DELETE FROM catalogue",
            "INSERT INTO run_output VALUES (gen_random_uuid(), '', 0, '', 0)",
        ],
        [
            "SELECT nextval('fence')",
            "SELECT stdout FROM run_output",
            "UPDATE worker SET settings = '{}'",
            "DELETE FROM worker",
            "INSERT INTO worker (name, accounted_until, revision) VALUES ('w', 0, 0)",
            "INSERT INTO catalogue SELECT * FROM catalogue",
            "UPDATE run_live SET fence = 1",
            "UPDATE runner SET turn = 0",
        ],
        [
            RUN,
            "INSERT INTO occurrence (worker, scheduled_for, accounts_from, recorded_at, fate, runs)
                VALUES ('w', 0, 0, 0, 'MISSED', '{}')",
            "SELECT plan FROM worker",
            "UPDATE worker SET plan = NULL",
            "INSERT INTO worker (name, accounted_until, revision) VALUES ('w', 0, 0)",
            "DELETE FROM run_done",
            "DELETE FROM occurrence",
            "SELECT outcome FROM run_done",
        ],
    );
    for (role, refused) in
        [(Role::Operator, operator), (Role::Scheduler, scheduler), (Role::Runner, runner)]
    {
        for statement in nobody.into_iter().chain(refused) {
            let code = ledger.refusal(role, statement).await;
            assert_eq!(code.as_deref(), Some(DENIED), "{role}: {statement}");
        }
    }
    for statement in ["SELECT * FROM run_output", "SELECT * FROM leadership", "SELECT * FROM run"] {
        let code = ledger.refusal(Role::Runner, statement).await;
        assert_eq!(code.as_deref(), Some(DENIED), "{statement}");
    }
    // The same insert is let through for who may: the refusals above are about the role.
    assert_eq!(ledger.refusal(Role::Operator, RUN).await, None);
    ledger.end().await;
}

#[tokio::test]
async fn a_finished_run_is_changed_by_nobody() {
    let ledger = Ledger::new().await;
    ledger
        .as_owner(
            "INSERT INTO run_done (id, number, enqueued_at, not_before, worker, handler, trigger,
                status, catalogue, timeout, request, config, retry, requested_by, ended_at,
                outcome, word)
            VALUES (gen_random_uuid(), 1, 0, 0, 'w', 'w', 'MANUAL', 'FAILED', '', '', '{}', '{}',
                '{}', '{}', 0, '{}', 'STORE')",
        )
        .await;
    for role in [Role::Operator, Role::Scheduler, Role::Runner] {
        let code = ledger.refusal(role, "UPDATE run_done SET progress = 'better'").await;
        assert_eq!(code.as_deref(), Some(DENIED), "{role}");
    }
    ledger.end().await;
}

#[tokio::test]
async fn what_a_user_lacks_is_named_when_the_store_is_opened() {
    let ledger = Ledger::new().await;
    let runner = ledger.prefix.name(Role::Runner);
    ledger.as_owner(&format!("REVOKE UPDATE (processed) ON run_live FROM {runner}")).await;
    let refused = PostgresStore::open(&ledger.options(Role::Runner)).await.unwrap_err();
    assert!(matches!(refused, OpenError::Grant { .. }), "{refused}");
    let said = refused.to_string();
    assert!(said.contains("lacks UPDATE (processed) ON horarium.run_live"), "{said}");
    assert!(said.contains("horarium migrate --roles") && !said.contains("pw@"), "{said}");

    ledger.as_owner(&format!("REVOKE USAGE ON SCHEMA horarium FROM {runner}")).await;
    let refused = PostgresStore::open(&ledger.options(Role::Runner)).await.unwrap_err();
    assert!(refused.to_string().contains("lacks USAGE ON SCHEMA horarium"), "{refused}");

    // Made once more, the roles have what they need.
    let options = OpenOptions::at(&ledger.database.location()).unwrap();
    PostgresStore::make_roles(&options, &ledger.prefix).await.unwrap();
    ledger.store(Role::Runner).await.close().await;
    ledger.end().await;
}
