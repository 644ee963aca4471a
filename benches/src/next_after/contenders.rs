//! Who answers.

use std::str::FromStr;

use chrono::{DateTime, TimeZone};
use chrono_tz::Tz;
use horarium_core::recurrence::Recurrence;
use horarium_core::words::time::Timestamp;

use crate::questions::Question;

/// One that can answer the rule.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    rule: Rule,
}

enum Rule {
    Horarium(Recurrence),
    Croner(Box<croner::Cron>, Tz),
    Cron(Box<cron::Schedule>, Tz),
    Rrule(Box<rrule::RRuleSet>, rrule::Tz),
}

impl Contender {
    /// Horarium first.
    pub(crate) fn all(question: &Question) -> Vec<Self> {
        let zone: Tz = question.zone.parse().expect("a zone");
        let ours = question.zone.parse().expect("a zone");
        let named = |name, rule| Self { name, rule };
        match (question.dtstart, question.with_seconds) {
            (Some(dtstart), _) => {
                let lines =
                    format!("DTSTART;TZID={}:{dtstart}\nRRULE:{}", question.zone, question.rule);
                let set = rrule::RRuleSet::from_str(&lines).expect("a rule");
                let dtstart = dtstart.parse().expect("a time");
                let rule = Recurrence::rrule(question.rule, dtstart, ours).expect("a rule");
                vec![
                    named("Horarium", Rule::Horarium(rule)),
                    named("rrule", Rule::Rrule(Box::new(set), rrule::Tz::Tz(zone))),
                ]
            }
            (None, with_seconds) => {
                let rule = Recurrence::cron(question.rule, ours).expect("a rule");
                let croner = croner::Cron::from_str(question.rule).expect("a rule");
                let cron = cron::Schedule::from_str(with_seconds.unwrap_or_default());
                vec![
                    named("Horarium", Rule::Horarium(rule)),
                    named("croner", Rule::Croner(Box::new(croner), zone)),
                    named("cron", Rule::Cron(Box::new(cron.expect("a rule")), zone)),
                ]
            }
        }
    }

    /// The first instant after `asked`, in seconds since 1970.
    pub(crate) fn next(&self, asked: i64) -> Option<i64> {
        match &self.rule {
            Rule::Horarium(rule) => {
                rule.next_after(ours(asked), None).map(|next| next.at.micros() / 1_000_000)
            }
            Rule::Croner(rule, zone) => {
                let next = rule.find_next_occurrence(&theirs(zone, asked), false);
                next.ok().map(|next| next.timestamp())
            }
            Rule::Cron(rule, zone) => {
                rule.after(&theirs(zone, asked)).next().map(|next| next.timestamp())
            }
            Rule::Rrule(rule, zone) => {
                let asked = theirs(zone, asked);
                (&**rule).into_iter().find(|next| *next > asked).map(|next| next.timestamp())
            }
        }
    }

    /// Asks all `asked`, each in the contender's own words, and counts the answers.
    pub(crate) fn prepare<'a>(&'a self, asked: &[i64]) -> Box<dyn Fn() -> usize + 'a> {
        match &self.rule {
            Rule::Horarium(rule) => {
                let asked: Vec<_> = asked.iter().map(|at| ours(*at)).collect();
                Box::new(move || {
                    asked.iter().filter(|at| rule.next_after(**at, None).is_some()).count()
                })
            }
            Rule::Croner(rule, zone) => {
                let asked: Vec<_> = asked.iter().map(|at| theirs(zone, *at)).collect();
                let next = |at: &&DateTime<Tz>| rule.find_next_occurrence(*at, false).is_ok();
                Box::new(move || asked.iter().filter(next).count())
            }
            Rule::Cron(rule, zone) => {
                let asked: Vec<_> = asked.iter().map(|at| theirs(zone, *at)).collect();
                Box::new(move || asked.iter().filter(|at| rule.after(at).next().is_some()).count())
            }
            Rule::Rrule(rule, zone) => {
                let asked: Vec<_> = asked.iter().map(|at| theirs(zone, *at)).collect();
                let next = |at: &&DateTime<rrule::Tz>| (&**rule).into_iter().any(|n| n > **at);
                Box::new(move || asked.iter().filter(next).count())
            }
        }
    }
}

fn ours(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).expect("an instant")
}

fn theirs<Z: TimeZone>(zone: &Z, second: i64) -> DateTime<Z> {
    zone.timestamp_opt(second, 0).single().expect("an instant")
}
