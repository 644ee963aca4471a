//! People and programs: enqueue, cancel, release, schedules, settings.

use std::num::NonZeroU32;

use horarium_core::ledger::command::{Retention, Tick};
use horarium_core::ledger::{Command, Reply, Wish};
use horarium_core::recurrence::{Recurrence, Zone, ZoneData};
use horarium_core::schedule::{Plan, Revision};
use horarium_core::words::Request;

use super::{Stage, by, span, worker};

/// A plan with nothing but a cron expression in UTC.
pub(crate) fn every(expression: &str) -> Plan {
    plan(Recurrence::cron(expression, Zone::utc()).unwrap())
}

/// A plan of one instant.
pub(crate) fn once(at: &str) -> Plan {
    plan(Recurrence::once(at.parse().unwrap(), Zone::utc()))
}

fn plan(recurrence: Recurrence) -> Plan {
    Plan {
        recurrence,
        request: Request::default(),
        not_before: None,
        until: None,
        max_runs: None,
        max_lateness: None,
        retry: None,
    }
}

impl Stage {
    /// A wish of ada's with a fresh id.
    pub(crate) fn wish(&mut self, name: &str) -> Wish {
        Wish {
            run: self.fresh_run_id(),
            worker: worker(name),
            request: Request::default(),
            not_before: None,
            by: by("ada"),
        }
    }

    /// Ada asks for a run.
    pub(crate) fn enqueue(&mut self, name: &str) -> Wish {
        let wish = self.wish(name);
        self.enqueue_wish(&wish);
        wish
    }

    /// Ada sends this wish, perhaps again.
    pub(crate) fn enqueue_wish(&mut self, wish: &Wish) -> Reply {
        self.say("ada", &Command::Enqueue(vec![wish.clone()]))
    }

    /// Ada cancels the worker's newest run.
    pub(crate) fn cancel(&mut self, name: &str) -> Reply {
        let run = self.run(name).id;
        self.say("ada", &Command::Cancel { run, by: by("ada") })
    }

    /// Ada releases the worker's newest run.
    pub(crate) fn release(&mut self, name: &str, force: bool) -> Reply {
        let run = self.run(name).id;
        self.say("ada", &Command::Release { run, force, by: by("ada") })
    }

    /// From now on who speaks to the store has these zone data.
    pub(crate) fn zone_data(&mut self, zones: ZoneData) {
        self.note(&format!("from a process with zone data {}", zones.release()));
        self.ledger.set_zone_data(zones);
    }

    /// The revision of the worker's schedule.
    pub(crate) fn revision(&self, name: &str) -> Revision {
        let worker = self.ledger.rows().workers.get(&worker(name));
        worker.map_or(Revision::NONE, |worker| worker.revision)
    }

    /// Ada saves a schedule, having seen the newest one.
    pub(crate) fn put_schedule(&mut self, name: &str, plan: Plan) -> Reply {
        let seen = self.revision(name);
        self.put_schedule_seen(name, plan, seen)
    }

    /// Ada saves a schedule, having seen this revision.
    pub(crate) fn put_schedule_seen(&mut self, name: &str, plan: Plan, seen: Revision) -> Reply {
        self.say(
            "ada",
            &Command::PutSchedule {
                worker: worker(name),
                seen,
                plan: Box::new(plan),
                reset_runs: false,
                by: by("ada"),
            },
        )
    }

    /// Ada saves a schedule and has its runs counted anew.
    pub(crate) fn put_schedule_and_reset(&mut self, name: &str, plan: Plan) -> Reply {
        let seen = self.revision(name);
        self.say(
            "ada",
            &Command::PutSchedule {
                worker: worker(name),
                seen,
                plan: Box::new(plan),
                reset_runs: true,
                by: by("ada"),
            },
        )
    }

    /// Ada enables a schedule.
    pub(crate) fn enable(&mut self, name: &str) -> Reply {
        let seen = self.revision(name);
        self.say("ada", &Command::EnableSchedule { worker: worker(name), seen, by: by("ada") })
    }

    /// Ada disables a schedule.
    pub(crate) fn disable(&mut self, name: &str) -> Reply {
        let seen = self.revision(name);
        self.say("ada", &Command::DisableSchedule { worker: worker(name), seen, by: by("ada") })
    }

    /// Ada deletes a schedule.
    pub(crate) fn delete(&mut self, name: &str) -> Reply {
        let seen = self.revision(name);
        self.say("ada", &Command::DeleteSchedule { worker: worker(name), seen, by: by("ada") })
    }

    /// Ada saves a worker's settings, having seen this revision.
    pub(crate) fn put_settings(&mut self, name: &str, settings: Request, seen: u64) -> Reply {
        self.say(
            "ada",
            &Command::PutSettings {
                worker: worker(name),
                seen: Revision(seen),
                settings,
                by: by("ada"),
            },
        )
    }

    /// Somebody sweeps.
    pub(crate) fn sweep(&mut self) -> Reply {
        self.say("S", &Command::Sweep { limit: NonZeroU32::new(100).unwrap() })
    }

    /// A scheduler ticks.
    pub(crate) fn tick(&mut self) -> Reply {
        self.tick_of("S", 100)
    }

    /// This scheduler ticks, with at most so many retries and occurrences.
    pub(crate) fn tick_of(&mut self, who: &str, limit: u32) -> Reply {
        let scheduler = Self::scheduler_id(who);
        self.names.schedulers.insert(scheduler, who.to_owned());
        let limit = NonZeroU32::new(limit).unwrap();
        self.say(who, &Command::Tick(Tick { scheduler, limit, seed: 7 }))
    }

    /// Old rows are deleted.
    pub(crate) fn prune(&mut self, keep: &str, keep_per_worker: u32) -> Reply {
        let limit = NonZeroU32::new(100).unwrap();
        let keep = span(keep);
        self.say("S", &Command::Prune(Retention { keep, keep_per_worker, limit }))
    }
}
