//! What each role needs, table by table; a column of it where that is enough.
//!
//! To lock a row is to be allowed to change one of its columns: where nothing else is changed,
//! that column is `progress`, and for finished runs a row policy lets no change through.

/// What may be done with a table or a sequence.
#[derive(Debug, Clone, Copy)]
pub(super) enum May {
    Read,
    ReadOnly(&'static [&'static str]),
    Add,
    Change,
    ChangeOnly(&'static [&'static str]),
    Delete,
    /// Draw numbers of a sequence.
    Draw,
}

/// What a role may do with one of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grant {
    pub(super) on: &'static str,
    pub(super) may: &'static [May],
}

const fn grant(on: &'static str, may: &'static [May]) -> Grant {
    Grant { on, may }
}

use May::{Add, Change, ChangeOnly, Delete, Draw, Read, ReadOnly};

/// It claims nothing, so it draws no fence; what a runner reports is not its to write.
pub(super) const OPERATOR: &[Grant] = &[
    grant("schema_version", &[Read]),
    grant("ledger", &[Read]),
    grant("leadership", &[Read]),
    grant("runner", &[Read]),
    grant("catalogue", &[Read, Add]),
    grant("worker", &[Read, Add, Change, Delete]),
    grant("occurrence", &[Read, Add, Change, Delete]),
    grant("run_live", &[Read, Add, ChangeOnly(&["cancel_at", "cancel_by"]), Delete]),
    grant("run_done", &[Read, Add, ChangeOnly(&["progress"]), Delete]),
    grant("run_output", &[Read, Delete]),
    grant("run", &[Read]),
    grant("run_number", &[Draw]),
];

/// It reads no output and touches no settings.
pub(super) const SCHEDULER: &[Grant] = &[
    grant("schema_version", &[Read]),
    grant("ledger", &[Read, ChangeOnly(&["zone_data"])]),
    grant("leadership", &[Read, Add, Change]),
    grant("runner", &[Read]),
    grant("catalogue", &[Read]),
    grant(
        "worker",
        &[
            Read,
            Add,
            ChangeOnly(&[
                "accounted_until",
                "revision",
                "next_at",
                "runs_created",
                "next_ordinal",
                "changed_at",
                "next_wall",
                "last_wall",
                "zone_data",
                "plan",
                "enablement",
                "changed_by",
            ]),
        ],
    ),
    grant("occurrence", &[Read, Add, Change, Delete]),
    grant("run_live", &[Read, Add, ChangeOnly(&["progress"]), Delete]),
    grant("run_done", &[Read, Add, ChangeOnly(&["progress"]), Delete]),
    grant("run_output", &[ReadOnly(&["run"]), Delete]),
    grant("run", &[Read]),
    grant("run_number", &[Draw]),
];

/// It changes of a live run what it reports, and nothing of what was asked for; of the finished
/// ones it sees whether it finished them itself.
pub(super) const RUNNER: &[Grant] = &[
    grant("schema_version", &[Read]),
    grant("ledger", &[Read]),
    grant("runner", &[Read, Add, ChangeOnly(&["turn", "last_seen", "stopped_at"])]),
    grant("catalogue", &[Read, Add]),
    grant("worker", &[ReadOnly(&["name", "settings"])]),
    grant(
        "occurrence",
        &[
            ReadOnly(&["worker", "scheduled_for", "last_run", "retry_changed_at"]),
            Add,
            ChangeOnly(&["retry", "retry_changed_at", "retry_changed_by"]),
        ],
    ),
    grant(
        "run_live",
        &[
            Read,
            // As a look-up by conflict: a row policy lets none through that is not there.
            Add,
            ChangeOnly(&[
                "status",
                "runner",
                "fence",
                "claimed_at",
                "lease_expires_at",
                "started_at",
                "started_config",
                "pending",
                "processed",
                "progress",
            ]),
            // To finish is to move.
            Delete,
        ],
    ),
    grant("run_done", &[ReadOnly(&["id", "fence", "runner", "word"]), Add]),
    grant("run_output", &[Add]),
    grant("fence", &[Draw]),
];
