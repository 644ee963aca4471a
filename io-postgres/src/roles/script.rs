//! The SQL that makes the roles.

use super::{Role, RolePrefix};
use crate::open::SchemaName;

/// All that makes the roles of a ledger, for who may create roles and is or may become the owner
/// of its tables. The names are ones that need no quotes to be safe.
pub(crate) fn script(schema: &SchemaName, prefix: &RolePrefix) -> String {
    let owner = prefix.owner();
    let mut sql = format!("-- The roles of the ledger in schema {schema}.\n");
    create(&mut sql, &owner);
    for role in Role::ALL {
        create(&mut sql, &prefix.name(role));
    }
    line(&mut sql, &owned(schema, &owner));
    for role in Role::ALL {
        line(&mut sql, &granted(schema, &prefix.name(role), role));
    }
    line(&mut sql, &policies(schema, prefix));
    sql
}

fn line(sql: &mut String, text: &str) {
    sql.push_str(text);
    sql.push('\n');
}

fn create(sql: &mut String, role: &str) {
    line(
        sql,
        &format!(
            "DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN
        CREATE ROLE {role} NOLOGIN;
    END IF;
END $$;"
        ),
    );
}

/// The schema and all in it belong to the owner.
fn owned(schema: &SchemaName, owner: &str) -> String {
    format!(
        "DO $$ DECLARE found record; BEGIN
    IF NOT pg_has_role('{owner}', 'MEMBER') THEN
        EXECUTE format('GRANT {owner} TO %I', current_user);
    END IF;
    ALTER SCHEMA {schema} OWNER TO {owner};
    FOR found IN
        SELECT relname, CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END
            AS kind
        FROM pg_class
        WHERE relnamespace = '{schema}'::regnamespace AND relkind IN ('r', 'S', 'v')
    LOOP
        EXECUTE format('ALTER %s {schema}.%I OWNER TO {owner}', found.kind, found.relname);
    END LOOP;
END $$;"
    )
}

/// What a role may do, and nothing that it might do before.
fn granted(schema: &SchemaName, name: &str, role: Role) -> String {
    let mut sql = format!(
        "REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {name};
REVOKE ALL ON ALL SEQUENCES IN SCHEMA {schema} FROM {name};
REVOKE ALL ON SCHEMA {schema} FROM {name};
GRANT USAGE ON SCHEMA {schema} TO {name};\n"
    );
    for grant in role.grants() {
        let privileges: Vec<String> = grant
            .may
            .iter()
            .map(|may| match may.columns() {
                [] => may.privilege().to_owned(),
                columns => format!("{} ({})", may.privilege(), columns.join(", ")),
            })
            .collect();
        let on = grant.on;
        let on = match grant.may {
            [super::May::Draw] => format!("SEQUENCE {schema}.{on}"),
            _ => format!("{schema}.{on}"),
        };
        line(&mut sql, &format!("GRANT {} ON {on} TO {name};", privileges.join(", ")));
    }
    sql
}

/// What grants cannot say: who adds rows only where one is already (an insert with ON CONFLICT is
/// how a turn finds its rows), and that a finished run never changes.
fn policies(schema: &SchemaName, prefix: &RolePrefix) -> String {
    let [operator, scheduler, runner] = Role::ALL.map(|role| prefix.name(role));
    let mut sql = String::from("-- Row policies bind all but the owner.\n");
    let tables = [
        (
            "run_live",
            format!("{operator}, {scheduler}"),
            Some((runner.as_str(), "there.id = run_live.id")),
            "true",
        ),
        (
            "occurrence",
            format!("{operator}, {scheduler}"),
            Some((
                runner.as_str(),
                "there.worker = occurrence.worker
        AND there.scheduled_for = occurrence.scheduled_for",
            )),
            "true",
        ),
        (
            "worker",
            operator.clone(),
            Some((scheduler.as_str(), "there.name = worker.name")),
            "true",
        ),
        ("run_done", format!("{operator}, {scheduler}, {runner}"), None, "false"),
    ];
    for (table, adders, finder, changed) in tables {
        let on = format!("{schema}.{table}");
        for policy in ["reads", "deletes", "changes", "adds", "finds"] {
            line(&mut sql, &format!("DROP POLICY IF EXISTS {policy} ON {on};"));
        }
        line(
            &mut sql,
            &format!(
                "CREATE POLICY reads ON {on} FOR SELECT USING (true);
CREATE POLICY deletes ON {on} FOR DELETE USING (true);
CREATE POLICY changes ON {on} FOR UPDATE USING (true) WITH CHECK ({changed});
CREATE POLICY adds ON {on} FOR INSERT TO {adders} WITH CHECK (true);"
            ),
        );
        if let Some((role, same)) = finder {
            line(
                &mut sql,
                &format!(
                    "CREATE POLICY finds ON {on} FOR INSERT TO {role} WITH CHECK (
    EXISTS (SELECT FROM {on} AS there WHERE {same}));"
                ),
            );
        }
        line(&mut sql, &format!("ALTER TABLE {on} ENABLE ROW LEVEL SECURITY;"));
    }
    sql
}
