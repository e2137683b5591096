use std::cell::Cell;
use std::collections::VecDeque;

use super::*;
use crate::context::Role;

/// A model that replays turns, and what it was told before each.
struct Replies(VecDeque<&'static str>, Vec<Vec<Message>>);

/// A model that replays turns, and one aide with one answer.
struct Aided(Replies, (Aide, &'static str), Vec<String>);

impl Model for Aided {
    fn turn(&mut self, asked: &Asked<'_>) -> Result<Vec<Turn>, String> {
        self.0.turn(asked)
    }

    fn advise(&mut self, aide: Aide, question: &str) -> Option<Result<String, String>> {
        (aide == self.1.0).then(|| {
            self.2.push(question.to_owned());
            match self.1.1.strip_prefix("fails: ") {
                Some(why) => Err(why.to_owned()),
                None => Ok(self.1.1.to_owned()),
            }
        })
    }
}

impl Model for Replies {
    /// Blank lines part the calls of one turn.
    fn turn(&mut self, asked: &Asked<'_>) -> Result<Vec<Turn>, String> {
        self.1.push(asked.messages.to_vec());
        let reply = self.0.pop_front().ok_or_else(|| "the server is gone".to_owned())?;
        Ok(reply.split("\n\n").map(protocol::read).collect())
    }
}

/// A host with one file system of answers, and a person who gives `answers`.
#[derive(Default)]
struct Desk {
    answers: VecDeque<&'static str>,
    consents: VecDeque<bool>,
    permission: Permission,
    /// Seconds that each look takes.
    seconds: u64,
    /// Number of looks after which Ctrl-C is pressed.
    interrupt_after: Option<usize>,
    looks: Vec<String>,
    events: Vec<AgentEvent>,
    now: Cell<u64>,
}

impl Host for Desk {
    fn look(&mut self, call: &Call) -> Observation {
        self.looks.push(call.signature());
        self.now.set(self.now.get() + self.seconds);
        match call.text("path") {
            Some("missing") => Observation::failed(&format!("no file here, {}", self.looks.len())),
            Some("broken") => Observation::failed(["no disk", "no power", "no hope"][self.looks.len() % 3]),
            Some("same") => Observation::seen("same", "same".into(), false),
            Some("huge") => Observation::seen("huge", "x".repeat(50_000), true),
            Some(path) if path.starts_with("huge") => {
                Observation::seen(path, format!("{path} {}", "x".repeat(33_000)), false)
            }
            path => {
                let path = path.unwrap_or(".");
                Observation::seen(
                    &format!("{path} is big"),
                    format!("{path} row {}", self.looks.len()),
                    false,
                )
            }
        }
    }

    fn ask(&mut self, _: &str) -> Option<String> {
        self.answers.pop_front().map(str::to_owned)
    }

    fn approve(&mut self, _: &str) -> bool {
        self.consents.pop_front().unwrap_or(false)
    }

    fn permission(&self, _: &Call) -> Permission {
        self.permission
    }

    fn tell(&mut self, event: &AgentEvent) {
        self.events.push(event.clone());
    }

    fn elapsed(&self) -> Duration {
        Duration::from_secs(self.now.get())
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt_after.is_some_and(|after| after <= self.looks.len())
    }
}

/// Runs a loop, and returns what it found, the number of looks, and everything that was told to the model.
fn run(replies: &[&'static str], desk: &mut Desk) -> (Finding, String, AgentLoop) {
    let limits = Limits { calls: 6, time: Duration::from_mins(1), window: 20_000 };
    let definition = AgentDefinition::named("admin").unwrap();
    let mut agent =
        AgentLoop::new("free the disk", definition, Registry::built_in(), vec!["Linux".into()], limits);
    let mut model = Replies(replies.iter().copied().collect(), Vec::new());
    let finding = agent.run(&mut model, desk);
    let told: Vec<String> = model.1.iter().flatten().map(|message| message.text.clone()).collect();
    for messages in &model.1 {
        assert_eq!(messages[0].role, Role::System);
    }
    (finding, told.join("\n"), agent)
}

const A: &str = r#"Look. <tool_code>{"name":"disk_usage","parameters":{"path":"a"}}</tool_code>"#;
const B: &str = r#"<tool_code>{"name":"disk_usage","parameters":{"path":"b"}}</tool_code>"#;
const C: &str = r#"<tool_code>{"name":"stat","parameters":{"path":"c"}}</tool_code>"#;
const SAME: &str = r#"<tool_code>{"name":"stat","parameters":{"path":"same"}}</tool_code>"#;
const HUGE: &str = r#"<tool_code>{"name":"stat","parameters":{"path":"huge"}}</tool_code>"#;
const END: &str = "<final_answer>a is big. <command>rm a</command></final_answer>";

#[test]
fn it_looks_and_then_answers() {
    let mut desk = Desk::default();
    let (finding, told, agent) = run(&[A, C, END], &mut desk);
    assert_eq!(
        finding,
        Finding { answer: "a is big.".into(), command: Some("rm a".into()), cut_short: None }
    );
    assert_eq!(desk.looks, ["disk_usage path=a", "stat path=c"]);
    assert!(
        told.contains("<observation>\na row 1\n</observation>") && told.contains("Request: free the disk")
    );
    assert!(matches!(desk.events.first(), Some(AgentEvent::Thought(thought)) if thought == "Look."));
    assert_eq!(desk.events.last(), Some(&AgentEvent::Final("a is big.".into())));
    assert_eq!(agent.plan.steps.len(), 2);
    assert_eq!(agent.plan.progress(true), 1.0);
}

/// Calls of one turn are made in order, the model sees all results whole and learns which calls were left out.
#[test]
fn several_calls_of_one_turn_lose_nothing() {
    let several = |calls: &[&'static str]| -> &'static str { calls.join("\n\n").leak() };
    let mut desk = Desk::default();
    let broken = "<tool_code>{oops</tool_code>";
    let (finding, told, agent) = run(&[several(&[A, broken, B, C, SAME]), END], &mut desk);
    assert_eq!(finding.command.as_deref(), Some("rm a"));
    assert_eq!(desk.looks, ["disk_usage path=a", "disk_usage path=b", "stat path=c"]);
    assert_eq!(agent.looks().len(), 3);
    for seen in ["a row 1\n", "b row 2\n", "c row 3\n", "the call can't be read"] {
        assert!(told.contains(seen), "{seen}: {told}");
    }
    let left = "not called: stat path=same; at most 4 calls are made in one turn";
    assert!(told.contains(left), "{told}");
    assert!(desk.events.contains(&AgentEvent::Warning(left.to_owned())));

    let mut desk = Desk::default();
    let d = r#"<tool_code>{"name":"list_dir","parameters":{"path":"d"}}</tool_code>"#;
    let e = r#"<tool_code>{"name":"list_dir","parameters":{"path":"e"}}</tool_code>"#;
    let (_, told, _) = run(&[A, B, C, d, several(&[SAME, HUGE, e, A]), END], &mut desk);
    assert_eq!(desk.looks.len(), 6);
    assert!(told.contains("not called: list_dir path=e, disk_usage path=a; no look is left"), "{told}");

    let mut desk = Desk { interrupt_after: Some(1), ..Desk::default() };
    let (finding, _, _) = run(&[several(&[A, B, C]), END], &mut desk);
    assert_eq!((finding.answer.as_str(), desk.looks.len()), ("a is big", 1));
}

#[test]
fn an_answer_needs_no_look() {
    let (finding, _, _) = run(&["Nothing is wrong."], &mut Desk::default());
    assert_eq!(finding, Finding { answer: "Nothing is wrong.".into(), ..Finding::default() });
}

#[test]
fn malformed_calls_unknown_tools_and_errors_are_told_and_may_be_mended() {
    for (reply, said) in [
        ("<tool_code>{oops</tool_code>", "the call can't be read"),
        (r#"<tool_code>{"name":"rm","parameters":{"path":"a"}}</tool_code>"#, "there is no tool `rm`"),
        (r#"<tool_code>{"name":"stat"}</tool_code>"#, "stat needs `path`"),
        (r#"<tool_code>{"name":"stat","parameters":{"path":"missing"}}</tool_code>"#, "no file here"),
        (HUGE, "ask for less"),
    ] {
        let mut desk = Desk::default();
        let (finding, told, _) = run(&[reply, A, END], &mut desk);
        assert!(told.contains(said), "{said}: {told}");
        assert_eq!(finding.command.as_deref(), Some("rm a"), "{said}");
        assert!(desk.looks.iter().all(|look| !look.starts_with("rm")), "{said}");
    }
}

#[test]
fn questions_are_answered_in_place() {
    let ask = "<question>Which disk?</question>";
    let mut desk = Desk { answers: ["the small one"].into(), ..Desk::default() };
    let (finding, told, _) = run(&[ask, A, END], &mut desk);
    assert!(told.contains("The person said meanwhile:\nWhich disk? the small one"), "{told}");
    assert_eq!(finding.cut_short, None);
    let (finding, _, _) = run(&[A, ask], &mut Desk::default());
    assert_eq!(finding.answer, "Which disk? a is big");
    assert_eq!(finding.cut_short.as_deref(), Some("a question is open"));
    let mut desk = Desk { answers: ["1", "2", "3", "4"].into(), ..Desk::default() };
    let (finding, _, _) = run(&[ask, ask, ask, ask], &mut desk);
    assert_eq!((finding.cut_short.as_deref(), desk.answers.len()), (Some("a question is open"), 1));
}

#[test]
fn without_a_model_the_partial_finding_is_the_answer() {
    let (finding, _, _) = run(&[A, B], &mut Desk::default());
    assert_eq!(finding.answer, "a is big; b is big");
    assert_eq!((finding.command, finding.cut_short.as_deref()), (None, Some("the server is gone")));
}

#[test]
fn ctrl_c_ends_with_the_partial_finding() {
    let mut desk = Desk { interrupt_after: Some(1), ..Desk::default() };
    let (finding, _, _) = run(&[A, B, END], &mut desk);
    assert_eq!((finding.answer.as_str(), finding.cut_short.as_deref()), ("a is big", Some("interrupted")));
    assert_eq!(desk.looks.len(), 1);
}

#[test]
fn the_budget_ends_with_one_more_turn_and_the_time_at_once() {
    let d = r#"<tool_code>{"name":"list_dir","parameters":{"path":"d"}}</tool_code>"#;
    let e = r#"<tool_code>{"name":"list_dir","parameters":{"path":"e"}}</tool_code>"#;
    let f = r#"<tool_code>{"name":"list_dir","parameters":{"path":"f"}}</tool_code>"#;
    let mut desk = Desk::default();
    let (finding, told, _) = run(&[A, B, C, d, e, f, A, END], &mut desk);
    assert_eq!((finding.command.as_deref(), desk.looks.len()), (Some("rm a"), 6));
    assert!(told.contains("Write the final answer now"));
    let (finding, _, _) = run(&[A, B, C, d, e, f, A, B], &mut Desk::default());
    assert_eq!(finding.cut_short.as_deref(), Some("no look is left"));
    let mut desk = Desk { seconds: 40, ..Desk::default() };
    let (finding, _, _) = run(&[A, B, C, END], &mut desk);
    assert_eq!((finding.cut_short.as_deref(), desk.looks.len()), (Some("the time is over"), 2));
}

#[test]
fn a_stuck_loop_steps_back_once_and_then_ends() {
    for stuck in [vec![A, A, A], vec![A, B, A, B]] {
        let mut desk = Desk::default();
        let (finding, told, _) = run(&[&stuck[..], &[C, END]].concat(), &mut desk);
        assert_eq!(finding.command.as_deref(), Some("rm a"), "{stuck:?}");
        assert!(told.contains("Take a step back"), "{stuck:?}");
    }
    let (finding, told, _) = run(&[A, A, A, A, A, A, A], &mut Desk::default());
    assert!(told.contains("Write the final answer now"), "{told}");
    assert_eq!(finding.cut_short.as_deref(), Some("the same look three times"));
    assert_eq!(finding.answer, "a is big");
}

#[test]
fn looks_that_show_nothing_new_are_noticed() {
    let again = [
        SAME,
        r#"<tool_code>{"name":"disk_usage","parameters":{"path":"same"}}</tool_code>"#,
        r#"<tool_code>{"name":"list_dir","parameters":{"path":"same"}}</tool_code>"#,
    ];
    let mut desk = Desk { consents: [true].into(), ..Desk::default() };
    let (_, told, _) = run(&[&again[..], &[SAME, A, END]].concat(), &mut desk);
    assert!(told.contains("the last looks showed nothing new: look elsewhere"), "{told}");
}

#[test]
fn errors_slow_it_down_and_pause_it() {
    let fail = [
        r#"<tool_code>{"name":"stat","parameters":{"path":"broken"}}</tool_code>"#,
        r#"<tool_code>{"name":"list_dir","parameters":{"path":"broken"}}</tool_code>"#,
        r#"<tool_code>{"name":"read_file","parameters":{"path":"broken"}}</tool_code>"#,
    ];
    let mut desk = Desk { consents: [true].into(), ..Desk::default() };
    let (finding, told, _) = run(&[&fail[..], &[A, END]].concat(), &mut desk);
    assert!(told.contains("different approach"), "{told}");
    assert_eq!(finding.command.as_deref(), Some("rm a"));
    assert!(desk.events.iter().any(|event| matches!(event, AgentEvent::Approval(_, true))));
    let mut desk = Desk::default();
    let (finding, _, _) = run(&[&fail[..], &[A, END]].concat(), &mut desk);
    assert_eq!((finding.cut_short.as_deref(), desk.looks.len()), (Some("most steps failed"), 3));
    let (_, told, _) = run(&[A, fail[0], fail[1], B, END], &mut Desk::default());
    assert!(told.contains("take a smaller one"), "{told}");
    let miss = r#"<tool_code>{"name":"stat","parameters":{"path":"missing"}}</tool_code>"#;
    let two = r#"<tool_code>{"name":"list_dir","parameters":{"path":"missing"}}</tool_code>"#;
    let (_, told, _) = run(&[miss, two, miss, A, END], &mut Desk::default());
    assert!(told.contains("the same error three times"), "{told}");
}

#[test]
fn the_policy_is_final() {
    let mut desk = Desk { permission: Permission::Deny, ..Desk::default() };
    let (_, told, _) = run(&[A, END], &mut desk);
    assert!(told.contains("denied by the person's configuration") && desk.looks.is_empty());
    let mut desk = Desk { permission: Permission::Ask, consents: [true, false].into(), ..Desk::default() };
    let (_, told, _) = run(&[A, B, END], &mut desk);
    assert_eq!(desk.looks, ["disk_usage path=a"]);
    assert!(told.contains("the person did not allow it"));
}

#[test]
fn a_reviewer_feeds_the_next_turn_pauses_or_ends_it() {
    let limits = Limits { calls: 9, time: Duration::from_mins(1), window: 20_000 };
    let run = |verdict, consents: &[bool]| {
        let definition = AgentDefinition::named("admin").unwrap();
        let mut agent = AgentLoop::new("free the disk", definition, Registry::built_in(), Vec::new(), limits);
        let mut desk = Desk { consents: consents.iter().copied().collect(), ..Desk::default() };
        let replies = Replies([A, B, C, END].into(), Vec::new());
        let mut model = Aided(replies, (Aide::Reviewer, verdict), Vec::new());
        let finding = agent.run(&mut model, &mut desk);
        let told = format!("{:?}", model.0.1);
        (finding.cut_short, desk.looks.len(), told, model.2)
    };
    let (cut_short, looks, told, asked) = run(r#"{"on_track": false, "concerns": ["b is old"]}"#, &[]);
    assert_eq!((cut_short, looks), (None, 3));
    assert!(told.contains("a reviewer says: not on track; b is old"), "{told}");
    let expected =
        "Request: free the disk\nLooks:\ndisk_usage path=a → a is big\ndisk_usage path=b → b is big";
    assert_eq!(asked, [expected], "after every second look");
    let ready = r#"{"confidence": 1, "progress": 1}"#;
    let (cut_short, _, told, _) = run(ready, &[]);
    assert!(told.contains("Enough was seen"), "{told}");
    assert_eq!(cut_short, None, "the model may still take a look that it needs");
    let pause = r#"{"confidence": 0.8, "pause": true, "concerns": ["which disk?"]}"#;
    let (cut_short, looks, _, _) = run(pause, &[false]);
    assert_eq!((cut_short.as_deref(), looks), (Some("the reviewer asked to stop"), 2));
    assert_eq!(run(pause, &[true]).1, 3);
    assert_eq!(run("I like it", &[]).1, 3, "no verdict is no verdict");
}

/// The rules speak first: where they have a concern, no model is asked.
#[test]
fn rules_review_before_a_model() {
    let miss = r#"<tool_code>{"name":"stat","parameters":{"path":"missing"}}</tool_code>"#;
    let limits = Limits { calls: 9, time: Duration::from_mins(1), window: 20_000 };
    let definition = AgentDefinition::named("admin").unwrap();
    let mut agent = AgentLoop::new("x", definition, Registry::built_in(), Vec::new(), limits);
    let mut model = Aided(Replies([A, miss, END].into(), Vec::new()), (Aide::Reviewer, "{}"), Vec::new());
    agent.run(&mut model, &mut Desk::default());
    assert_eq!(model.2, Vec::<String>::new());
    assert!(format!("{:?}", model.0.1).contains("different approach"));
}

/// Runs a loop with one aide. Returns what it found, what was told to the model, and what the aide was asked.
fn run_aided(
    aide: Aide,
    answer: &'static str,
    replies: &[&'static str],
) -> (AgentLoop, Vec<String>, Vec<String>) {
    let limits = Limits { calls: 9, time: Duration::from_mins(1), window: 20_000 };
    let definition = AgentDefinition::named("admin").unwrap();
    let mut agent =
        AgentLoop::new("free the disk", definition, Registry::built_in(), vec!["Linux".into()], limits);
    let replies = Replies(replies.iter().copied().collect(), Vec::new());
    let mut model = Aided(replies, (aide, answer), Vec::new());
    let finding = agent.run(&mut model, &mut Desk::default());
    assert_eq!(finding.command.as_deref(), Some("rm a"));
    (agent, model.0.1.iter().map(|messages| messages[1].text.clone()).collect(), model.2)
}

#[test]
fn a_planner_proposes_steps_once() {
    let (agent, told, asked) =
        run_aided(Aide::Planner, r#"{"steps": ["sizes", "open files"]}"#, &[A, B, END]);
    assert_eq!(agent.plan.proposed, ["sizes", "open files"]);
    assert_eq!(asked.len(), 1);
    for said in ["Request: free the disk\nKnown of this machine:\nLinux\nTools:\n", "\ndisk_usage: "] {
        assert!(asked[0].contains(said), "{said}: {}", asked[0]);
    }
    for request in &told {
        assert!(request.contains("Steps that a planner proposed:\nsizes\nopen files\n"), "{request}");
    }
    let (agent, told, _) = run_aided(Aide::Planner, "I would look around", &[A, END]);
    assert!(agent.plan.proposed.is_empty() && !told.concat().contains("planner"));
}

#[test]
fn a_reviewer_knows_the_plan() {
    let steps = ["sizes".to_owned()];
    assert_eq!(review::question("x", &steps, &[]), "Request: x\nSteps proposed:\nsizes\nLooks:\n");
}

/// A look is summed up once, when the next turn no longer shows it whole; short ones and failed ones never are.
#[test]
fn a_summarizer_sums_up_older_looks() {
    let huge = |name: &str| -> &'static str {
        format!(r#"<tool_code>{{"name":"list_dir","parameters":{{"path":"huge{name}"}}}}</tool_code>"#).leak()
    };
    let miss = r#"<tool_code>{"name":"stat","parameters":{"path":"missing"}}</tool_code>"#;
    let answer = r#"{"summary": "9 of <b> are old"}"#;
    let replies = [huge("1"), A, miss, huge("2"), B, C, END];
    let (_, told, asked) = run_aided(Aide::Summarizer, answer, &replies);
    let looks: Vec<&str> = asked.iter().filter_map(|question| question.lines().nth(1)).collect();
    assert_eq!(looks, ["Look: list_dir path=huge1", "Look: list_dir path=huge2"]);
    assert!(
        !told[2].contains("9 of") && told[3].contains("list_dir path=huge1 → 9 of ‹b› are old\n"),
        "{told:?}"
    );
    let last = told.last().unwrap();
    assert!(
        last.contains("disk_usage path=a → a is big\n") && last.contains("failed: no file here"),
        "{last}"
    );
    let (_, told, asked) = run_aided(Aide::Summarizer, "no", &replies);
    assert!(asked.len() == 2 && told.last().unwrap().contains("list_dir path=huge1 → huge1\n"), "{told:?}");
}

/// An aide that fails is told once and not asked again, and none is asked when half of the time is over.
#[test]
fn an_aide_that_fails_or_is_late_is_done_without() {
    let huge = |name: &str| -> &'static str {
        format!(r#"<tool_code>{{"name":"list_dir","parameters":{{"path":"huge{name}"}}}}</tool_code>"#).leak()
    };
    let run = |answer: &'static str, seconds: u64| {
        let limits = Limits { calls: 9, time: Duration::from_secs(60), window: 20_000 };
        let definition = AgentDefinition::named("admin").unwrap();
        let mut agent = AgentLoop::new("x", definition, Registry::built_in(), Vec::new(), limits);
        let replies = Replies([huge("1"), huge("2"), A, B, C, END].into(), Vec::new());
        let mut model = Aided(replies, (Aide::Summarizer, answer), Vec::new());
        let mut desk = Desk { seconds, ..Desk::default() };
        assert_eq!(agent.run(&mut model, &mut desk).command.as_deref(), Some("rm a"));
        (model.2.len(), desk.events)
    };
    let (asked, events) = run("fails: no key", 0);
    let told = AgentEvent::Warning("no help from the profile for `summary`: no key".to_owned());
    assert_eq!((asked, events.iter().filter(|event| **event == told).count()), (1, 1));
    assert_eq!(run(r#"{"summary": "x"}"#, 0).0, 2);
    assert_eq!(run(r#"{"summary": "x"}"#, 11).0, 0);
}

#[test]
fn progress_never_falls() {
    let limits = Limits { calls: 9, time: Duration::from_mins(1), window: 20_000 };
    let definition = AgentDefinition::named("admin").unwrap();
    let mut agent = AgentLoop::new("x", definition, Registry::built_in(), Vec::new(), limits);
    let replies = Replies([A, B, C, END].into(), Vec::new());
    let mut model = Aided(replies, (Aide::Reviewer, r#"{"confidence": 0.4, "progress": 1}"#), Vec::new());
    let mut desk = Desk::default();
    agent.run(&mut model, &mut desk);
    let told: Vec<f64> = desk
        .events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::Progress(share) => Some(*share),
            _ => None,
        })
        .collect();
    assert!(told.is_sorted() && told.contains(&0.9) && told.last() == Some(&1.0), "{told:?}");
}

/// Observations of 25 windows in one investigation: each turn fits into the window, and request and last look stay.
#[test]
fn no_turn_leaves_its_window() {
    let limits = Limits { calls: 24, time: Duration::from_mins(1), window: 9_000 };
    let definition = AgentDefinition::named("admin").unwrap();
    let mut agent = AgentLoop::new("free the disk", definition, Registry::built_in(), Vec::new(), limits);
    let look = |n: usize| -> &'static str {
        let call =
            format!(r#"<tool_code>{{"name":"list_dir","parameters":{{"path":"huge{n}"}}}}</tool_code>"#);
        call.leak()
    };
    let mut model = Replies((0..7).map(look).chain([END]).collect(), Vec::new());
    let mut desk = Desk::default();
    let finding = agent.run(&mut model, &mut desk);
    assert_eq!((finding.command.as_deref(), desk.looks.len()), (Some("rm a"), 7));
    let seen: usize = agent.looks().iter().map(|made| made.observation.text.len()).sum();
    assert!(20 * limits.window <= seen, "{seen}");
    for (n, messages) in model.1.iter().enumerate() {
        let size: usize = messages.iter().map(|message| message.text.len()).sum();
        assert!(size <= limits.window, "{n}: {size}");
        assert!(messages[1].text.contains("Request: free the disk"), "{n}");
        let last = messages.last().unwrap();
        assert!(
            n == 0 || last.text.starts_with(&format!("<observation>\nhuge{} ", n - 1)),
            "{n}: {}",
            last.text
        );
    }
}

#[test]
fn looks_can_be_made_without_a_model() {
    let call = |path: &str| Call {
        name: "stat".into(),
        parameters: [("path".to_owned(), path.into())].into_iter().collect(),
    };
    for (interrupt_after, answer, cut_short) in
        [(None, "a is big; b is big", None), (Some(1), "a is big", Some("interrupted".to_owned()))]
    {
        let limits = Limits { calls: 6, time: Duration::from_mins(1), window: 20_000 };
        let definition = AgentDefinition::named("look").unwrap();
        let mut agent = AgentLoop::new("x", definition, Registry::built_in(), Vec::new(), limits);
        let mut desk = Desk { interrupt_after, ..Desk::default() };
        let finding = agent.look(vec![call("a"), call("missing"), call("b")], &|_| Vec::new(), &mut desk);
        assert_eq!((finding.answer.as_str(), finding.cut_short), (answer, cut_short));
    }
}

#[test]
fn each_tool_has_its_own_limit() {
    let limits = Limits { calls: 6, time: Duration::from_mins(1), window: 20_000 };
    let definition = AgentDefinition::named("look").unwrap();
    let mut agent = AgentLoop::new("x", definition, Registry::built_in(), Vec::new(), limits);
    let snapshot = r#"<tool_code>{"name":"snapshot"}</tool_code>"#;
    let replies = [snapshot, C, snapshot, A, snapshot, END];
    let mut model = Replies(replies.into(), Vec::new());
    let mut desk = Desk::default();
    agent.run(&mut model, &mut desk);
    assert_eq!(desk.looks.iter().filter(|look| *look == "snapshot").count(), 2);
    let told = format!("{:?}", model.1);
    assert!(told.contains("snapshot may be called 2 times"), "{told}");
    let environment = r#"<tool_code>{"name":"environment"}</tool_code>"#;
    let mut agent = AgentLoop::new("x", definition, Registry::built_in(), Vec::new(), limits);
    let mut model = Replies([environment, END].into(), Vec::new());
    agent.run(&mut model, &mut desk);
    assert!(
        format!("{:?}", model.1).contains("there is no tool `environment`"),
        "not a tool of this definition"
    );
}
