//! `askline stats`: requests, time and tokens used, and the use of today's limits.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::args::Stats;
use super::model::table;
use super::{AppContext, Exit, print};
use crate::metrics::{self, Counts, Figures, Model, UsageStore};
use askline_model::usage::{Cost, Limits, Tally};

pub(super) fn run(args: &Stats, app: &AppContext) -> anyhow::Result<Exit> {
    let limits = app.config()?.limits;
    let (counts, now) = (UsageStore::of(&app.paths).read()?, SystemTime::now());
    print(&match args.json {
        true => format!("{}\n", object(&counts, limits, args.days, now)),
        false => text(&counts, limits, args.days, now),
    })?;
    Ok(Exit::Done)
}

/// Returns the figures of the last `days` days including today, oldest first; days without figures are left out.
fn last(counts: &Counts, days: u32, now: SystemTime) -> impl Iterator<Item = (u32, &Figures)> {
    let today = counts.day(now);
    let first = today.saturating_sub(days.saturating_sub(1));
    counts.days.range(first..=today).map(|(day, figures)| (*day, figures))
}

fn text(counts: &Counts, limits: Limits, days: u32, now: SystemTime) -> String {
    let mut sum = Figures::default();
    last(counts, days, now).for_each(|(_, figures)| sum.add(figures));
    let date = metrics::date(counts.day(now));
    let mut text = match days {
        1 => format!("today, {date} (UTC)\n"),
        days => format!("the last {days} days, to {date} (UTC)\n"),
    };
    let _ = writeln!(text, "presses    {}", grouped(sum.presses));
    let _ =
        writeln!(text, "answered   {}, {} without a model", grouped(sum.answers), grouped(sum.without_model));
    let failed = sum.failures.values().fold(0_u64, |all, count| all.saturating_add(*count));
    let kinds: Vec<_> =
        sum.failures.iter().map(|(kind, count)| format!("{kind} {}", grouped(*count))).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) };
    let _ = writeln!(text, "failed     {}{kinds}", grouped(failed));
    let _ = writeln!(text, "cancelled  {}", grouped(sum.cancelled));
    if !sum.models.is_empty() {
        let heads = ["MODEL", "CALLS", "FAILED", "TOKENS IN", "KEPT", "OUT", "COST", "P50", "P95"];
        let mut rows = vec![heads.map(str::to_owned)];
        rows.extend(sum.models.iter().map(|(name, model)| row(name, model)));
        text.push('\n');
        text.push_str(&table(&rows));
    }
    if !sum.looks.is_empty() {
        let mut rows = vec![["LOOK", "CALLS", "FAILED", "P50", "P95"].map(str::to_owned)];
        rows.extend(sum.looks.iter().map(|(tool, looks)| {
            let time = |share| looks.times.quantile(share).map_or("-".to_owned(), seconds);
            [tool.clone(), grouped(looks.times.len()), grouped(looks.failed), time(0.5), time(0.95)]
        }));
        text.push('\n');
        text.push_str(&table(&rows));
    }
    let total = &counts.total;
    let _ =
        writeln!(text, "\nin all: presses {}, answered {}", grouped(total.presses), grouped(total.answers));
    text.push_str(&bounds(&counts.today(now).servers(), limits));
    text
}

fn row(name: &str, model: &Model) -> [String; 9] {
    let Tally { calls, tokens, cost } = model.tally;
    let time = |share| model.times.quantile(share).map_or("-".to_owned(), seconds);
    [
        name.to_owned(),
        grouped(calls),
        grouped(calls.saturating_sub(model.times.len())),
        grouped(tokens.prompt),
        grouped(tokens.cached),
        grouped(tokens.completion),
        cost.map_or("-".to_owned(), |cost| cost.to_string()),
        time(0.5),
        time(0.95),
    ]
}

/// Returns the limits and today's use of them, as text.
fn bounds(today: &Tally, limits: Limits) -> String {
    let of = |limit: u64| if limit == 0 { String::new() } else { format!(" of {}", grouped(limit)) };
    let mut text = "\nservers, by [limits] in the configuration\n".to_owned();
    let tokens =
        if limits.tokens == 0 { String::new() } else { format!(", {} tokens", grouped(limits.tokens)) };
    let _ = writeln!(text, "one press  at most {} calls{tokens}", limits.calls);
    let (calls, tokens) = (grouped(today.calls), grouped(today.all_tokens()));
    let _ = writeln!(
        text,
        "today      {calls}{} calls, {tokens}{} tokens",
        of(limits.day_calls),
        of(limits.day_tokens)
    );
    if today.cost.is_some() || limits.day_cost != Cost(0) {
        let of = if limits.day_cost == Cost(0) { String::new() } else { format!(" of {}", limits.day_cost) };
        let _ = writeln!(text, "cost       {}{of}", today.cost.unwrap_or_default());
    }
    text
}

/// Formats a number with thousands separators.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if 0 < at && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        short if short < 1.0 => format!("{:.0} ms", short * 1e3),
        long => format!("{long:.1} s"),
    }
}

/// Returns all figures as JSON; the field names are a stable interface. A limit that is not set is null; days without
/// figures are left out.
fn object(counts: &Counts, limits: Limits, days: u32, now: SystemTime) -> Value {
    let limit = |limit: u64| (limit != 0).then_some(limit);
    let days: Vec<Value> = last(counts, days, now)
        .map(|(day, figures)| json!({"date": metrics::date(day), "figures": object_of(figures)}))
        .collect();
    json!({
        "days": days,
        "total": object_of(&counts.total),
        "servers_today": usage(&counts.today(now).servers()),
        "limits": {
            "calls": limit(limits.calls),
            "tokens": limit(limits.tokens),
            "day_calls": limit(limits.day_calls),
            "day_tokens": limit(limits.day_tokens),
            "day_cost": limit(limits.day_cost.0).map(|cost| Cost(cost).units()),
        },
    })
}

fn object_of(figures: &Figures) -> Value {
    let milliseconds = |time: Duration| (time.as_secs_f64() * 1e3).round();
    let models: Vec<Value> = figures
        .models
        .iter()
        .map(|(name, model)| {
            let mut object = usage(&model.tally);
            object["model"] = json!(name);
            object["server"] = json!(model.is_server);
            object["failed"] = json!(model.tally.calls.saturating_sub(model.times.len()));
            object["p50_ms"] = json!(model.times.quantile(0.5).map(milliseconds));
            object["p95_ms"] = json!(model.times.quantile(0.95).map(milliseconds));
            object
        })
        .collect();
    let looks: Vec<Value> = figures
        .looks
        .iter()
        .map(|(tool, looks)| {
            json!({
                "tool": tool,
                "calls": looks.times.len(),
                "failed": looks.failed,
                "p50_ms": looks.times.quantile(0.5).map(milliseconds),
                "p95_ms": looks.times.quantile(0.95).map(milliseconds),
            })
        })
        .collect();
    json!({
        "presses": figures.presses,
        "answers": figures.answers,
        "without_model": figures.without_model,
        "cancelled": figures.cancelled,
        "failures": figures.failures,
        "models": models,
        "looks": looks,
    })
}

/// Returns calls and their usage as JSON; the field names are a stable interface. `prompt_tokens` includes
/// `cached_tokens`; `cost` is in the unit of the prices in the profiles, null if there are none.
pub(super) fn usage(tally: &Tally) -> Value {
    json!({
        "calls": tally.calls,
        "prompt_tokens": tally.tokens.prompt,
        "cached_tokens": tally.tokens.cached,
        "completion_tokens": tally.tokens.completion,
        "cost": tally.cost.map(Cost::units),
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::metrics::Looks;
    use askline_model::usage::Tokens;

    fn counts() -> Counts {
        let tally = |calls, prompt, cost: Option<u64>| Tally {
            calls,
            tokens: Tokens { prompt, cached: prompt / 2, completion: 40 },
            cost: cost.map(Cost),
        };
        let times = |ms: &[u64]| ms.iter().map(|ms| Duration::from_millis(*ms)).collect();
        let models = [
            (
                "local:small",
                Model { is_server: false, tally: tally(3, 4_000, None), times: times(&[300, 310, 2_000]) },
            ),
            (
                "m at h.example",
                Model {
                    is_server: true,
                    tally: tally(2, 1_234_567, Some(20_500_000_000)),
                    times: times(&[900]),
                },
            ),
        ];
        let today = Figures {
            presses: 1_234,
            answers: 1_200,
            without_model: 700,
            cancelled: 4,
            failures: [("late", 20), ("no command", 10)].map(|(kind, n)| (kind.to_owned(), n)).into(),
            models: models.map(|(name, model)| (name.to_owned(), model)).into(),
            looks: [("stat".to_owned(), Looks { failed: 1, times: times(&[12, 13]) })].into(),
        };
        let earlier = Figures { presses: 6, answers: 6, ..Figures::default() };
        let mut total = today.clone();
        total.add(&earlier);
        Counts { days: [(20_777, earlier), (20_779, today)].into(), total, damaged: None }
    }

    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(20_779 * 86_400 + 5)
    }

    #[test]
    fn figures_are_told_with_todays_part_of_the_limits() {
        let limits =
            Limits { calls: 3, day_calls: 200, day_cost: Cost(2_000_000_000_000), ..Limits::default() };
        expect![[r#"
            the last 7 days, to 2026-11-22 (UTC)
            presses    1,240
            answered   1,206, 700 without a model
            failed     30: late 20, no command 10
            cancelled  4

            MODEL           CALLS  FAILED  TOKENS IN  KEPT     OUT  COST    P50     P95
            local:small     3      0       4,000      2,000    40   -       296 ms  2.4 s
            m at h.example  2      1       1,234,567  617,283  40   0.0205  772 ms  892 ms

            LOOK  CALLS  FAILED  P50    P95
            stat  2      1       12 ms  14 ms

            in all: presses 1,240, answered 1,206

            servers, by [limits] in the configuration
            one press  at most 3 calls
            today      2 of 200 calls, 1,234,607 tokens
            cost       0.0205 of 2.00
        "#]]
        .assert_eq(&text(&counts(), limits, 7, now()));
        expect![[r#"
            today, 2026-11-22 (UTC)
            presses    0
            answered   0, 0 without a model
            failed     0
            cancelled  0

            in all: presses 0, answered 0

            servers, by [limits] in the configuration
            one press  at most 3 calls
            today      0 calls, 0 tokens
        "#]]
        .assert_eq(&text(&Counts::default(), Limits { calls: 3, ..Limits::default() }, 1, now()));
    }

    #[test]
    fn days_outside_of_those_asked_for_are_left_out() {
        let presses =
            |days| last(&counts(), days, now()).map(|(_, figures)| figures.presses).collect::<Vec<_>>();
        assert_eq!(
            [presses(1), presses(2), presses(3), presses(31)],
            [vec![1234], vec![1234], vec![6, 1234], vec![6, 1234]]
        );
        let figures = object(&counts(), Limits { calls: 3, ..Limits::default() }, 31, now());
        assert_eq!(figures["days"][0]["date"], "2026-11-20");
        assert_eq!(figures["servers_today"]["cost"], 0.0205);
        assert_eq!(
            figures["limits"],
            json!({"calls": 3, "tokens": null, "day_calls": null, "day_tokens": null, "day_cost": null})
        );
        assert_eq!(figures["total"]["presses"], 1240);
    }
}
