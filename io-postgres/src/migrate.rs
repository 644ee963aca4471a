//! Bringing a ledger's schema up to date, and showing how it would be done.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::error::{Failure, OpenError};
use crate::open::OpenOptions;
use crate::roles::{self, RolePrefix};
use crate::schema::{self, Schema};
use crate::store::PostgresStore;

impl PostgresStore {
    /// Brings the schema up to what this program knows, in one transaction. A missing one is made.
    /// Answers with the versions that were applied.
    pub async fn migrate(options: &OpenOptions) -> Result<Vec<u32>, OpenError> {
        let explain = |failure: Failure| options.explain(&failure);
        let mut connection = options.connect().await.map_err(explain)?;
        let mut transaction = connection.begin().await.map_err(|error| explain(error.into()))?;
        let applied = migrate_within(&mut transaction, options).await?;
        transaction.commit().await.map_err(|error| explain(error.into()))?;
        connection.close().await.map_err(|error| explain(error.into()))?;
        Ok(applied)
    }

    /// Makes the roles of a ledger whose schema is up to date, or renews what they may do.
    pub async fn make_roles(options: &OpenOptions, prefix: &RolePrefix) -> Result<(), OpenError> {
        let explain = |failure: Failure| options.explain(&failure);
        let mut connection = options.connect().await.map_err(explain)?;
        let mut transaction = connection.begin().await.map_err(|error| explain(error.into()))?;
        schema::lock(&mut transaction).await.map_err(explain)?;
        let script = AssertSqlSafe(Self::roles_script(options, prefix));
        sqlx::raw_sql(script)
            .execute(&mut *transaction)
            .await
            .map_err(|error| explain(error.into()))?;
        transaction.commit().await.map_err(|error| explain(error.into()))?;
        connection.close().await.map_err(|error| explain(error.into()))
    }

    /// The statements that [`make_roles`](Self::make_roles) executes.
    pub fn roles_script(options: &OpenOptions, prefix: &RolePrefix) -> String {
        roles::script(&options.schema, prefix)
    }

    /// The statements that [`migrate`](Self::migrate) would execute now. Nothing is changed.
    pub async fn migration_plan(options: &OpenOptions) -> Result<String, OpenError> {
        let explain = |failure: Failure| options.explain(&failure);
        let mut connection = options.connect().await.map_err(explain)?;
        let found = Schema::of(&mut connection, &options.schema).await.map_err(explain)?;
        connection.close().await.map_err(|error| explain(error.into()))?;
        let mut script = Vec::new();
        if found == Schema::Missing {
            script.push(schema::create(&options.schema) + ";\n");
        }
        for migration in found.pending() {
            let horarium_sql::Migration { version, min_compatible, sql } = migration;
            script.push(format!(
                "SET search_path = \"{}\";\n{sql}\
                 INSERT INTO schema_version (version, min_compatible, applied_at)\n\
                 VALUES ({version}, {min_compatible}, \
                 (extract(epoch FROM now()) * 1000000)::bigint);\n",
                options.schema
            ));
        }
        Ok(script.concat())
    }
}

async fn migrate_within(
    db: &mut PgConnection,
    options: &OpenOptions,
) -> Result<Vec<u32>, OpenError> {
    let explain = |failure: Failure| options.explain(&failure);
    schema::lock(db).await.map_err(explain)?;
    let found = Schema::of(db, &options.schema).await.map_err(explain)?;
    match found {
        Schema::Foreign => options.check(found)?,
        Schema::Version { version, .. } if version >= schema::known() => options.check(found)?,
        Schema::Missing | Schema::Empty | Schema::Version { .. } => {}
    }
    schema::become_owner(db, &options.schema).await.map_err(explain)?;
    let now = crate::clock::now(&options.clock, db).await.map_err(explain)?;
    schema::apply(db, &options.schema, found, now).await.map_err(explain)?;
    Ok(found.pending().map(|migration| migration.version).collect())
}
