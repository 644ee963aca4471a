//! Who may do what: the group roles of a ledger, each with the least that it needs.
//!
//! Promise: the script makes the roles, takes away what they had and gives what `grants` says, so
//! that running it again after a migration is all that the new tables need. What a process must be
//! allowed is looked up when it starts, and the first thing that is missing is named.

mod grants;
mod script;

use std::fmt;

use sqlx::{PgConnection, Row};

use crate::error::{Failure, OpenError};
use crate::open::{OpenOptions, SchemaName};
use grants::{Grant, May};

pub(crate) use script::script;

/// What a process works as. The owner, whose the tables are, is not among them: it migrates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// People and programs: they ask, look, and decide about schedules.
    Operator,
    /// It ticks, sweeps and prunes.
    Scheduler,
    /// It claims runs and reports on them.
    Runner,
}

impl Role {
    const ALL: [Self; 3] = [Self::Operator, Self::Scheduler, Self::Runner];

    const fn grants(self) -> &'static [Grant] {
        match self {
            Self::Operator => grants::OPERATOR,
            Self::Scheduler => grants::SCHEDULER,
            Self::Runner => grants::RUNNER,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Operator => "operator",
            Self::Scheduler => "scheduler",
            Self::Runner => "runner",
        })
    }
}

/// What the names of a ledger's roles begin with: `north` of `north_runner`. Roles belong to the
/// whole server, so ledgers in two of its databases need two of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolePrefix(SchemaName);

/// The longest ending, `_scheduler`, must fit behind it.
const LONGEST_PREFIX: usize = 53;

impl RolePrefix {
    /// The name of a role.
    pub fn name(&self, role: Role) -> String {
        format!("{}_{role}", self.0)
    }

    /// The name of the role whose the tables are.
    pub fn owner(&self) -> String {
        format!("{}_owner", self.0)
    }
}

impl TryFrom<SchemaName> for RolePrefix {
    type Error = OpenError;

    fn try_from(name: SchemaName) -> Result<Self, OpenError> {
        if name.as_str().len() > LONGEST_PREFIX {
            return Err(OpenError::RolePrefix(name.to_string()));
        }
        Ok(Self(name))
    }
}

impl std::str::FromStr for RolePrefix {
    type Err = OpenError;

    fn from_str(text: &str) -> Result<Self, OpenError> {
        Self::try_from(text.parse::<SchemaName>()?)
    }
}

const MAY_ENTER: &str = "
SELECT to_regnamespace($1) IS NULL OR has_schema_privilege($1, 'USAGE'), current_user::text";
const MISSING: &str = "
SELECT relation, field, privilege
FROM unnest($2::text[], $3::text[], $4::text[])
    WITH ORDINALITY AS need (relation, field, privilege, place)
WHERE NOT CASE
    WHEN privilege = 'USAGE'
        THEN has_sequence_privilege(format('%I.%I', $1, relation), privilege)
    WHEN field IS NULL THEN has_table_privilege(format('%I.%I', $1, relation), privilege)
    ELSE has_column_privilege(format('%I.%I', $1, relation), field, privilege)
END
ORDER BY place LIMIT 1";

/// Whether the schema may be looked into at all.
pub(crate) async fn check_entry(
    db: &mut PgConnection,
    options: &OpenOptions,
) -> Result<(), OpenError> {
    let explain = |error: sqlx::Error| options.explain(&error.into());
    let row = sqlx::query(MAY_ENTER)
        .bind(options.schema.as_str())
        .fetch_one(db)
        .await
        .map_err(explain)?;
    if row.try_get(0).map_err(explain)? {
        return Ok(());
    }
    let privilege = format!("USAGE ON SCHEMA {}", options.schema);
    let role = options.roles.first().map_or_else(|| String::from("ROLE"), ToString::to_string);
    Err(denied(options, row.try_get(1).map_err(explain)?, privilege, &role))
}

/// Whether the process has all that its roles need.
pub(crate) async fn check(db: &mut PgConnection, options: &OpenOptions) -> Result<(), OpenError> {
    for role in options.roles {
        if let Some((user, privilege)) =
            missing(db, options, *role).await.map_err(|failure| options.explain(&failure))?
        {
            return Err(denied(options, user, privilege, &role.to_string()));
        }
    }
    Ok(())
}

fn denied(options: &OpenOptions, user: String, privilege: String, role: &str) -> OpenError {
    OpenError::Grant {
        server: options.server(),
        user,
        privilege,
        role: format!("{}_{role}", options.schema),
    }
}

/// The user, and the first thing that it may not do although the role needs it.
async fn missing(
    db: &mut PgConnection,
    options: &OpenOptions,
    role: Role,
) -> Result<Option<(String, String)>, Failure> {
    let (mut relations, mut fields, mut privileges) = (Vec::new(), Vec::new(), Vec::new());
    for Grant { on, may } in role.grants() {
        for may in *may {
            let columns = may.columns();
            let each = if columns.is_empty() {
                vec![None]
            } else {
                columns.iter().copied().map(Some).collect()
            };
            for column in each {
                relations.push(*on);
                fields.push(column);
                privileges.push(may.privilege());
            }
        }
    }
    let found = sqlx::query(MISSING)
        .bind(options.schema.as_str())
        .bind(relations)
        .bind(fields)
        .bind(privileges)
        .fetch_optional(&mut *db)
        .await?;
    let Some(row) = found else { return Ok(None) };
    let (relation, field, privilege): (String, Option<String>, String) =
        (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let field = field.map(|field| format!(" ({field})")).unwrap_or_default();
    let user = sqlx::query_scalar("SELECT current_user::text").fetch_one(db).await?;
    Ok(Some((user, format!("{privilege}{field} ON {}.{relation}", options.schema))))
}

impl May {
    const fn privilege(&self) -> &'static str {
        match self {
            Self::Read | Self::ReadOnly(_) => "SELECT",
            Self::Add => "INSERT",
            Self::Change | Self::ChangeOnly(_) => "UPDATE",
            Self::Delete => "DELETE",
            Self::Draw => "USAGE",
        }
    }

    const fn columns(&self) -> &'static [&'static str] {
        match self {
            Self::ReadOnly(columns) | Self::ChangeOnly(columns) => columns,
            Self::Read | Self::Add | Self::Change | Self::Delete | Self::Draw => &[],
        }
    }
}
