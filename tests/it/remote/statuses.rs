//! The rows of the fault table (`faults.rs`) for a status other than success: E11 to E15.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use askline_model::failure::Failure;
use askline_model::remote::{ApiKey, Remote, ServerSpec};
use askline_model::server::Protocol;

use super::server::{Act, Server, ok, says, status};
use super::{SECRET, against, ask, chat, no_model, remote, solved, spec, unavailable};

#[test]
fn e11_busy() {
    let busy =
        |wait: &str| Act::Send(status(429, &format!("retry-after: {wait}\r\nconnection: close\r\n"), "{}"));
    let begun = Instant::now();
    let (reply, server) = against(vec![busy("1"), Act::Send(says("ls"))]);
    assert_eq!((reply, server.seen().len()), (Ok("ls".to_owned()), 2));
    assert!(Duration::from_secs(1) <= begun.elapsed());

    let begun = Instant::now();
    let (reply, server) = against(vec![busy("60"), Act::Send(says("ls"))]);
    assert_eq!(reply, unavailable("team: it is busy (429) and asks to wait 60 s; try again then"));
    assert_eq!(server.seen().len(), 1);
    assert!(begun.elapsed() < Duration::from_secs(1));

    // A date in the past, and one in the far future.
    let (reply, _server) = against(vec![busy("Sun, 06 Nov 1994 08:49:37 GMT"), Act::Send(says("ls"))]);
    assert_eq!(reply, Ok("ls".to_owned()));
    let reply = against(vec![busy("Fri, 31 Dec 2199 23:59:59 GMT"), Act::Send(says("ls"))]).0;
    let Err(Failure::Unavailable(message)) = reply else { panic!("{reply:?}") };
    assert!(message.starts_with("team: it is busy (429) and asks to wait "), "{message}");

    for junk in ["soon", "-5", "1e9", "99999999999999999999999"] {
        let (reply, server) = against(vec![busy(junk), Act::Send(says("ls"))]);
        assert_eq!(reply, unavailable("team: it is busy (429); try again later"), "{junk}");
        assert_eq!(server.seen().len(), 1, "{junk}");
    }
    // Busy twice: there is only one retry.
    let (reply, server) = against(vec![busy("0"), busy("0"), Act::Send(says("ls"))]);
    assert!(matches!(reply, Err(Failure::Unavailable(_))), "{reply:?}");
    assert_eq!(server.seen().len(), 2);
}

#[test]
fn e12_out_of_order_once() {
    for code in [500, 502, 503, 529] {
        let begun = Instant::now();
        let fault = || Act::Send(status(code, "connection: close\r\n", "{\"error\":{\"message\":\"down\"}}"));
        let (reply, server) = against(vec![fault(), Act::Send(says("ls"))]);
        assert_eq!((reply, server.seen().len()), (Ok("ls".to_owned()), 2), "{code}");
        assert!(Duration::from_millis(100) <= begun.elapsed(), "{code}");
        let (reply, server) = against(vec![fault(), fault(), Act::Send(says("ls"))]);
        let message = format!("team: it has a server error ({code}): down; try again later");
        assert_eq!((reply, server.seen().len()), (unavailable(&message), 2), "{code}");
    }
    for code in [400, 401, 402, 403, 404, 405, 409, 418, 422, 451] {
        let (reply, server) =
            against(vec![Act::Send(status(code, "", "{\"error\":\"no\"}")), Act::Send(says("ls"))]);
        assert!(matches!(reply, Err(Failure::NoModel(_))), "{code}: {reply:?}");
        assert_eq!(server.seen().len(), 1, "{code}");
    }
    let unknown = against(vec![Act::Send(status(404, "", "{\"error\":{\"message\":\"no such model\"}}"))]).0;
    let Err(Failure::NoModel(told)) = unknown else { panic!("{unknown:?}") };
    assert!(told.starts_with("team: it has no model `some-model` or no such path (404): "), "{told}");
    assert!(told.ends_with("; check `name` and `url` in the profile"), "{told}");
}

#[test]
fn e13_the_key_is_refused() {
    let says_key = format!("{{\"error\":{{\"message\":\"Incorrect API key provided: {SECRET}\"}}}}");
    for code in [401, 403] {
        let (reply, server) = against(vec![Act::Send(status(code, "", &says_key))]);
        let message = format!("team: it refuses the key ({code}); check key_env = \"TEAM_KEY\"");
        assert_eq!(reply, no_model(&message));
        assert_eq!(server.seen()[0].field("authorization"), Some(&*format!("Bearer {SECRET}")));
        let server = Server::new(vec![Act::Send(status(code, "", &says_key))]);
        let url = format!("http://127.0.0.1:{}", server.port());
        let reply = ask(&mut Remote::open(spec(Protocol::OpenAi, &url)).unwrap(), &chat());
        let message = format!("team: it needs a key ({code}); set `key_env` in the profile");
        assert_eq!(reply.map(|reply| reply.text), no_model(&message));
    }
    // With other statuses the server's text is left out.
    for code in [400, 404, 500] {
        let echo = || Act::Send(status(code, "connection: close\r\n", &says_key));
        let reply = against(vec![echo(), echo()]).0;
        assert!(matches!(reply, Err(Failure::NoModel(_) | Failure::Unavailable(_))), "{reply:?}");
    }
}

/// JSON may spell a key with other characters than it was sent in.
#[test]
fn a_key_is_hidden_however_it_is_repeated() {
    let echo = r#"{"error":{"message":"we got sk-a\/b\u002bc, which is wrong"}}"#;
    for act in [
        Act::Send(status(400, "", echo)),
        Act::Send(status(501, "", echo)),
        Act::Send(ok("text/event-stream", format!("data: {echo}\n\n"))),
    ] {
        let server = Server::new(vec![act]);
        let key = Some(ApiKey::new("sk-a/b+c", "key_env").unwrap());
        let spec =
            ServerSpec { key, ..spec(Protocol::OpenAi, &format!("http://127.0.0.1:{}", server.port())) };
        let failure = ask(&mut Remote::open(spec).unwrap(), &chat()).unwrap_err().to_string();
        assert!(!failure.contains("sk-a"), "{failure}");
    }
}

/// A server that repeats the key in another form shows nothing of it, and an answer with it is no line.
#[test]
fn a_key_in_disguise_is_hidden_and_never_a_line() {
    let base64 = "c2stdGhlLXNlY3JldC0wMTIzNDU2Nzg5";
    let hex: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
    let halves = SECRET.replace("0123", " then 0123");
    for echo in [SECRET.to_uppercase(), base64.to_owned(), hex, halves] {
        let error = format!("{{\"error\":{{\"message\":\"got {echo} from you\"}}}}");
        let failure = against(vec![Act::Send(status(400, "", &error))]).0.unwrap_err().to_string();
        let shown = failure.to_lowercase();
        assert!(shown.contains("got …"), "{echo}: {failure}");
        assert!(
            !shown.contains("456789") && !shown.contains("secret") && !shown.contains("c2std"),
            "{failure}"
        );
        let answer = against(vec![Act::Send(says(&format!("curl -H 'x: {echo}' localhost")))]).0;
        let Err(Failure::Unavailable(told)) = answer else { panic!("{answer:?}") };
        assert!(told.starts_with("team: its answer contains your key; "), "{told}");
    }
    assert_eq!(against(vec![Act::Send(says("ls --the-secret"))]).0, Ok("ls --the-secret".to_owned()));
}

#[test]
fn e14_the_prompt_is_too_long() {
    let said = "{\"error\":{\"message\":\"This model's maximum context length is 2048 tokens.\",\"code\":\"context_length_exceeded\"}}";
    let too_long = || Act::Send(status(400, "connection: close\r\n", said));
    let server = Server::new(vec![too_long(), Act::Send(says("ls"))]);
    let reply = ask(&mut remote(&server, Protocol::OpenAi), &solved()).unwrap();
    assert_eq!(reply.text, "ls");
    let seen = server.seen();
    assert!(seen[1].body.len() * 5 < seen[0].body.len(), "{} {}", seen[0].body.len(), seen[1].body.len());
    assert!(seen[1].body.contains("list files"));

    let message =
        "team: request too long for the model some-model; ask for less, or use a model with a larger context";
    for (prompt, times) in [(solved(), 2), (chat(), 1)] {
        let server = Server::new(vec![too_long(), too_long(), Act::Send(says("ls"))]);
        let reply = ask(&mut remote(&server, Protocol::OpenAi), &prompt).map(|reply| reply.text);
        assert_eq!((reply, server.seen().len()), (no_model(message), times));
    }
    // A model with a known small context gets less from the start.
    let server = Server::new(vec![Act::Send(says("ls"))]);
    let url = format!("http://127.0.0.1:{}", server.port());
    let small = ServerSpec { model: "tinyllama:1.1b".to_owned(), ..spec(Protocol::OpenAi, &url) };
    ask(&mut Remote::open(small).unwrap(), &solved()).unwrap();
    assert_eq!(server.seen()[0].body.len(), seen[1].body.len() + "tinyllama:1.1b".len() - "some-model".len());
}

#[test]
fn e15_redirects_are_not_followed() {
    for code in [301, 302, 303, 307, 308] {
        let other = Server::new(vec![Act::Send(says("rm -rf x"))]);
        let field = format!("location: http://127.0.0.1:{}/v1?token=1\r\n", other.port());
        let (reply, server) = against(vec![Act::Send(status(code, &field, ""))]);
        let message = format!(
            "team: it redirects to http://127.0.0.1:{}/v1, which is not followed; set `url` to the new address",
            other.port()
        );
        assert_eq!(reply, no_model(&message));
        assert_eq!((server.seen().len(), other.seen().len()), (1, 0), "{code}");
    }
}

/// If the server names a date in the near future, askline waits for it.
#[test]
fn a_near_date_is_waited_for() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + 1;
    let (days, clock) = (now / 86_400, now % 86_400);
    // Computes the date without a calendar library: counts from January 1, 2025. The next leap year is within four
    // years.
    let mut day = days - 20_089;
    let (mut year, mut month) = (2025, 0);
    let lengths =
        |year: u64| [31, 28 + u64::from(year.is_multiple_of(4)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while lengths(year)[month] <= day {
        day -= lengths(year)[month];
        month += 1;
        if month == 12 {
            (year, month) = (year + 1, 0);
        }
    }
    let name = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][month];
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    let date = format!("Mon, {:02} {name} {year} {hour:02}:{minute:02}:{second:02} GMT", day + 1);
    let busy = status(503, &format!("retry-after: {date}\r\nconnection: close\r\n"), "");
    let (reply, server) = against(vec![Act::Send(busy), Act::Send(says("ls"))]);
    assert_eq!((reply.as_deref(), server.seen().len()), (Ok("ls"), 2), "{date}");
}
