//! The moments at which faults strike.

use crate::incident::Incident;

/// Something that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// A runner waits for the answer to its registration.
    RegistrationOut,
    /// A runner waits for the answer to a turn.
    TurnOut,
    /// A runner waits for the answer to its retirement.
    RetirementOut,
    /// A runner waits for a foreground run.
    StartOut,
    /// A scheduler waits for the answer to a tick.
    TickOut,
    /// Somebody waits for the answer to a sweep.
    SweepOut,
    /// A job lives.
    JobRunning,
    /// A lease has run out and was not swept.
    LeaseExpired,
    /// A retry is owed.
    RetryOwed,
    /// A schedule is due.
    InstantDue,
    /// A runner was asked to stop.
    Stopping,
    /// No scheduler leads.
    NobodyLeads,
    /// Two schedulers believe to lead.
    TwoLead,
    /// A runner or a scheduler is frozen.
    SomebodyFrozen,
}

impl Moment {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::RegistrationOut,
        Self::TurnOut,
        Self::RetirementOut,
        Self::StartOut,
        Self::TickOut,
        Self::SweepOut,
        Self::JobRunning,
        Self::LeaseExpired,
        Self::RetryOwed,
        Self::InstantDue,
        Self::Stopping,
        Self::NobodyLeads,
        Self::TwoLead,
        Self::SomebodyFrozen,
    ];
}

/// All that is under way at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moments(u16);

impl Moments {
    /// This is under way too.
    pub fn add(&mut self, moment: Moment) {
        self.0 |= 1 << (moment as u16);
    }

    /// What is under way.
    pub fn all(self) -> impl Iterator<Item = Moment> {
        Moment::ALL.into_iter().filter(move |moment| self.0 & 1 << (*moment as u16) != 0)
    }
}

/// True for a fault that strikes at a moment in every batch. Every fault can strike at every moment,
/// but everything is away so seldom that not each moment is met.
pub fn is_asked_for(incident: Incident, moment: Moment) -> bool {
    match incident {
        Incident::AllAway => matches!(
            moment,
            Moment::TurnOut | Moment::SweepOut | Moment::JobRunning | Moment::NobodyLeads
        ),
        // Only in worlds that go beyond the bounds, which do not count.
        Incident::Restore | Incident::BothFreeze => false,
        _ => incident.is_fault(),
    }
}
