//! Models from elsewhere: an address, or a file of this machine.

use super::*;
use crate::install::added::{Origin, Stated, add, begun};
use crate::install::manifest::added as entries;
use crate::prompt::Form;

/// Returns a bench whose server has a small but whole model.
fn with_sample() -> (Bench, Vec<u8>, String) {
    let sample = gguf::sample();
    let hash = partial::hex(&sha2::Sha256::digest(&sample));
    (Bench::new(Vec::new()), sample, hash)
}

impl Bench {
    fn add(&self, origin: &Origin, stated: &Stated) -> Result<ModelEntry, String> {
        add(origin, stated, self, &self.paths, &mut |_| ()).map_err(|error| format!("{error:#}"))
    }
}

#[test]
fn a_place_is_told_from_a_name() {
    let url = |text: &str| Some(Origin::Url(text.to_owned()));
    for (text, expected) in [
        ("qwen2.5-coder-0.5b-instruct-q4_k_m", None),
        ("hf:Qwen/Q-GGUF/a.gguf", url("https://huggingface.co/Qwen/Q-GGUF/resolve/main/a.gguf")),
        ("hf:Qwen/Q-GGUF/sub/a.gguf", url("https://huggingface.co/Qwen/Q-GGUF/resolve/main/sub/a.gguf")),
        ("https://example.com/a.gguf", url("https://example.com/a.gguf")),
        ("./a.gguf", Some(Origin::File("./a.gguf".into()))),
        ("A.GGUF", Some(Origin::File("A.GGUF".into()))),
    ] {
        assert_eq!(Origin::parse(text).unwrap(), expected, "{text}");
    }
    for wrong in ["hf:", "hf:a", "hf:a/b", "hf:a//c.gguf", "hf:a/b/", "hf:a/../c.gguf", "hf:a/b/c.gguf?x"] {
        assert!(Origin::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_model_of_an_address_is_one_like_ours() {
    let (bench, sample, hash) = with_sample();
    let (url, asked) = serve(&sample, vec![Answer::Look(""), Answer::Range]);
    // What may be a key is not kept.
    let entry = bench.add(&Origin::Url(format!("{url}?key=secret#x")), &Stated::default()).unwrap();
    assert_eq!((entry.name.as_str(), &entry.sha256, entry.chat), ("tiny", &hash, false));
    assert_eq!(entry.sources, [Source::Url(url.clone())]);
    assert_eq!(*asked.lock().unwrap(), ["bytes=0-3", ""]);
    assert_eq!(fs::read(path_of(&entry, &bench.paths)).unwrap(), sample);
    let manifest = Manifest::load(&bench, &bench.paths).unwrap();
    assert_eq!(manifest.find("tiny").unwrap(), &entry);
    assert_eq!(installed("tiny", None, &bench, &bench.paths).unwrap().sha256, Some(hash));
    // Its name is taken now, and it can be fetched anew as ours can.
    let again = bench.add(&Origin::Url(url), &Stated::default()).unwrap_err();
    assert!(again.starts_with("a model is called tiny already"), "{again}");
    // Whoever changes the file is noticed, and removing it forgets it.
    fs::write(path_of(&entry, &bench.paths), [&sample[..], b"x"].concat()).unwrap();
    assert!(matches!(condition(&entry, &bench.paths), Condition::Damaged(_)));
    assert_eq!(remove(&entry, &bench.paths).unwrap(), sample.len() as u64 + 1);
    assert!(entries(&bench.paths).unwrap().is_empty());
    assert_eq!(LocalHost.list(&bench.paths.models).unwrap(), ["lock"]);
}

/// Adds the model in two steps, of which the first is cut off; returns what the server was asked in the second.
fn interrupted(marks: [&'static str; 2], stated: &Stated) -> Vec<String> {
    let (bench, sample, hash) = with_sample();
    let [first, second] = marks;
    let answers =
        vec![Answer::Look(first), Answer::Cut(0), Answer::Look(second), Answer::Range, Answer::Range];
    let (url, asked) = serve(&sample, answers);
    assert!(bench.add(&Origin::Url(url.clone()), stated).is_err());
    store::write(&fetch::part_of(&bench.file()), &sample[..9]).unwrap();
    let done = bench.add(&Origin::Url(url), stated).unwrap();
    assert_eq!(done.sha256, hash);
    assert_eq!(fs::read(path_of(&done, &bench.paths)).unwrap(), sample);
    let mut names = LocalHost.list(&bench.paths.models).unwrap();
    names.sort();
    assert_eq!(names, ["added.toml", "lock", "tiny.gguf", "tiny.gguf.seal"]);
    let asked = asked.lock().unwrap();
    asked[2..].to_vec()
}

#[test]
fn an_interrupted_download_goes_on_if_the_file_is_still_the_same() {
    let (_, _, hash) = with_sample();
    let known = Stated { sha256: Some(hash), form: None };
    let unknown = Stated::default();
    assert_eq!(interrupted(["\"1\"", "\"1\""], &unknown), ["bytes=0-3", "bytes=9-"]);
    assert_eq!(interrupted(["\"1\"", "\"2\""], &unknown), ["bytes=0-3", ""]);
    assert_eq!(interrupted(["", ""], &unknown), ["bytes=0-3", ""], "nothing says that it is the same");
    assert_eq!(interrupted(["", ""], &known), ["bytes=0-3", "bytes=9-"], "the hash says it");
}

#[test]
fn an_interrupted_download_can_be_removed() {
    let (bench, sample, _) = with_sample();
    let (url, _) = serve(&sample, vec![Answer::Look("\"1\""), Answer::Cut(0)]);
    assert!(bench.add(&Origin::Url(url), &Stated::default()).is_err());
    let left = begun("tiny", &bench.paths).unwrap();
    remove(&left, &bench.paths).unwrap();
    assert_eq!(LocalHost.list(&bench.paths.models).unwrap(), ["lock"]);
    for name in ["tiny", "../tiny", ""] {
        assert_eq!(begun(name, &bench.paths), None, "{name}");
    }
}

#[test]
fn what_is_no_whole_gguf_file_is_refused_and_leaves_nothing() {
    let (bench, sample, hash) = with_sample();
    let page = b"<html>sign in</html>".to_vec();
    let (url, asked) = serve(&page, vec![Answer::Look("")]);
    let refused = bench.add(&Origin::Url(url.clone()), &Stated::default()).unwrap_err();
    assert_eq!(refused, format!("{url}: it is not a GGUF file"));
    assert_eq!(asked.lock().unwrap().len(), 1, "nothing more is fetched");
    let half = sample[..sample.len() - 9].to_vec();
    let half_hash = partial::hex(&sha2::Sha256::digest(&half));
    // A stated hash replaces no look at the header.
    for sha256 in [None, Some(half_hash)] {
        let (url, _) = serve(&half, vec![Answer::Look("\"1\""), Answer::Range]);
        let refused = bench.add(&Origin::Url(url), &Stated { sha256, form: None }).unwrap_err();
        assert!(refused.contains("it is cut off"), "{refused}");
    }
    let (url, _) = serve(&sample, vec![Answer::Look(""), Answer::Range]);
    let stated = Stated { sha256: Some("0".repeat(64)), form: None };
    let refused = bench.add(&Origin::Url(url), &stated).unwrap_err();
    assert!(refused.contains("SHA-256 differs"), "{refused}");
    let own = bench.top.path().join("notes.gguf");
    fs::write(&own, "text").unwrap();
    let refused = bench.add(&Origin::File(own.clone()), &Stated::default()).unwrap_err();
    assert!(refused.ends_with("notes.gguf is not a GGUF file"), "{refused}");
    fs::write(&own, &half).unwrap();
    let refused = bench.add(&Origin::File(own), &Stated { sha256: Some(hash), form: None }).unwrap_err();
    assert!(refused.contains("SHA-256 differs"), "{refused}");
    assert_eq!(LocalHost.list(&bench.paths.models).unwrap(), ["lock"]);
    for name in ["a.zip", "m-00001-of-00003.gguf", "…gguf", ".gguf"] {
        assert!(bench.add(&Origin::File(name.into()), &Stated::default()).is_err(), "{name}");
    }
}

#[test]
fn only_a_private_address_without_a_password_is_asked() {
    let (bench, ..) = with_sample();
    for (address, why) in [
        ("http://192.0.2.1/tiny.gguf", "the address is not https"),
        ("ftp://localhost/tiny.gguf", "the address is not https"),
        ("https://ada:secret@192.0.2.1/tiny.gguf", "the address holds a user name or a password"),
    ] {
        let refused = bench.add(&Origin::Url(address.to_owned()), &Stated::default()).unwrap_err();
        assert!(refused.contains(why) && !refused.contains("secret"), "{refused}");
    }
}

/// The server behind a redirect learns nothing of the address that the person gave.
#[test]
fn a_redirect_tells_the_next_server_nothing() {
    let (bench, sample, _) = with_sample();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let behind = format!("http://{}/tiny.gguf", listener.local_addr().unwrap());
    let next = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let lines = BufReader::new(&stream).lines().map(Result::unwrap);
        lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n").to_lowercase()
    });
    let (url, _) = serve(&sample, vec![raw(&format!("302 Found\r\nLocation: {behind}"), b"")]);
    assert!(bench.add(&Origin::Url(format!("{url}?key=secret")), &Stated::default()).is_err());
    let heard = next.join().unwrap();
    assert!(heard.starts_with("get /tiny.gguf http") && heard.contains("range: bytes=0-3"), "{heard}");
    assert!(!heard.contains("secret") && !heard.contains("referer"), "{heard}");
}

#[test]
fn a_file_of_this_machine_is_copied() {
    let (bench, sample, hash) = with_sample();
    let own = bench.top.path().join("My Model.Q4.gguf");
    fs::write(&own, &sample).unwrap();
    let stated = Stated { sha256: Some(hash.clone()), form: Some(Form::Chat) };
    let entry = bench.add(&Origin::File(own.clone()), &stated).unwrap();
    assert_eq!((entry.name.as_str(), &entry.sha256, entry.chat), ("my-model.q4", &hash, true));
    fs::remove_file(own).unwrap();
    assert_eq!(entries(&bench.paths).unwrap(), [entry]);
}

/// A damaged list is named where it matters, and stops none of the other models.
#[test]
fn a_damaged_list_is_named() {
    let mut bench = Bench::new(Vec::new());
    let own = bench.top.path().join("own.gguf");
    fs::write(&own, &bench.bytes).unwrap();
    bench.pull(Some(&own)).unwrap();
    fs::write(bench.paths.models.join("added.toml"), "nonsense").unwrap();
    let why = entries(&bench.paths).unwrap_err().0;
    assert!(why.contains("added.toml: line 1") && why.ends_with("forget the models that you added"), "{why}");
    assert!(Manifest::load(&bench, &bench.paths).is_err());
    let list = toml::to_string(&Manifest { entries: vec![bench.entry.clone()] }).unwrap();
    let given = bench.top.path().join("manifest.toml");
    fs::write(&given, list).unwrap();
    bench.manifest = Some(given);
    assert!(installed("tiny", None, &bench, &bench.paths).is_ok());
    assert!(installed("other", None, &bench, &bench.paths).is_err());
}
