//! The network between askline and a server: certificates (row E16) and proxies (row E18).

use std::io::Write as _;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use askline_model::failure::Failure;
use askline_model::remote::{Remote, ServerSpec};
use askline_model::server::Protocol;
use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::PrivateKeyDer;

use super::server::{Act, Server, says};
use super::{ask, chat, spec, with_key};
use crate::cli::Askline;

/// A certificate authority of our own, with its certificate in a file.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    directory: tempfile::TempDir,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("ca.pem"), certificate.pem()).unwrap();
        Self { issuer: Issuer::new(params, key), directory }
    }

    fn file(&self) -> PathBuf {
        self.directory.path().join("ca.pem")
    }

    fn server(&self, host: &str, last_year: i32, acts: Vec<Act>) -> Server {
        let mut params = CertificateParams::new(vec![host.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(last_year, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Server::with_tls(acts, config(&certificate, &key))
    }
}

fn config(certificate: &Certificate, key: &KeyPair) -> ServerConfig {
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap()
}

fn at(server: &Server, ca_file: Option<PathBuf>) -> ServerSpec {
    let spec = spec(Protocol::OpenAi, &format!("https://127.0.0.1:{}/v1", server.port()));
    with_key(ServerSpec { ca_file, ..spec })
}

fn message(spec: ServerSpec, env: &dyn Fn(&str) -> Option<String>) -> String {
    match ask(&mut Remote::open_in(spec, env).unwrap(), &chat()) {
        Ok(reply) => panic!("answered {:?}", reply.text),
        Err(Failure::NoModel(message) | Failure::Unavailable(message)) => message,
        Err(other) => panic!("{other:?}"),
    }
}

fn nothing(_: &str) -> Option<String> {
    None
}

#[test]
fn e16_certificates_are_checked() {
    let ours = Authority::new();
    let good = ours.server("127.0.0.1", 2199, vec![Act::Send(says("ls"))]);
    let mut model = Remote::open(at(&good, Some(ours.file()))).unwrap();
    assert_eq!(ask(&mut model, &chat()).unwrap().text, "ls");

    let remedy = "; if it is yours, name its authority in `ca_file`";
    let unknown = ours.server("127.0.0.1", 2199, vec![Act::Send(says("rm -rf x"))]);
    let told = message(at(&unknown, None), &nothing);
    assert_eq!(told, format!("team: its certificate is refused (UnknownIssuer){remedy}"));
    assert!(unknown.seen().is_empty(), "nothing was sent");

    let other = Authority::new();
    let foreign = ours.server("127.0.0.1", 2199, vec![Act::Send(says("rm -rf x"))]);
    let told = message(at(&foreign, Some(other.file())), &nothing);
    assert!(told.starts_with("team: its certificate is refused ("), "{told}");

    let expired = ours.server("127.0.0.1", 2001, vec![Act::Send(says("rm -rf x"))]);
    let told = message(at(&expired, Some(ours.file())), &nothing);
    assert!(told.starts_with("team: its certificate is refused (expired"), "{told}");

    let elsewhere = ours.server("example.com", 2199, vec![Act::Send(says("rm -rf x"))]);
    let told = message(at(&elsewhere, Some(ours.file())), &nothing);
    assert!(told.starts_with("team: its certificate is refused (not valid for name"), "{told}");

    let key = KeyPair::generate().unwrap();
    let own = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap().self_signed(&key).unwrap();
    let selfmade = Server::with_tls(vec![Act::Send(says("rm -rf x"))], config(&own, &key));
    let told = message(at(&selfmade, None), &nothing);
    assert!(told.starts_with("team: its certificate is refused ("), "{told}");

    // No encryption where it is expected.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://127.0.0.1:{}/v1", listener.local_addr().unwrap().port());
    std::thread::spawn(move || listener.accept().unwrap().0.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
    let told = message(with_key(spec(Protocol::OpenAi, &url)), &nothing);
    assert!(told.starts_with("team: can't connect: "), "{told}");
}

#[test]
fn a_file_of_certificates_that_holds_none_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ca.pem");
    let open = || {
        let spec =
            ServerSpec { ca_file: Some(file.clone()), ..spec(Protocol::OpenAi, "https://example.com") };
        format!("{:#}", Remote::open(spec).err().unwrap())
    };
    assert!(open().starts_with("`ca_file` "), "{}", open());
    for content in ["", "not a certificate", "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n"]
    {
        std::fs::write(&file, content).unwrap();
        assert!(open().starts_with("`ca_file` "), "{content}: {}", open());
    }
    // A pipe without a writer is not waited for, and a huge file is not read.
    std::fs::File::options().write(true).open(&file).unwrap().set_len(1 << 30).unwrap();
    assert!(open().contains("is larger than"), "{}", open());
    std::fs::remove_file(&file).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    assert!(open().contains("it is not a file"), "{}", open());
}

#[test]
fn certificates_of_the_system_that_do_not_come_are_not_waited_for() {
    let profile = "profile = \"team\"\n[profiles.team]\nprotocol = \"openai\"\nurl = \"https://127.0.0.1:9\"\nname = \"m\"\n";
    let ran = Askline::new(["suggest", "--shell", "bash", "--", "list the files"])
        .config(profile)
        .env("SSL_CERT_FILE", "HOME/ca.pem")
        .in_sh("mkfifo ca.pem; exec RUN")
        .run();
    let why = "profile `team`: the certificates could not be read within 3 s; look at `ca_file`, and at the variables";
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
}

#[test]
fn e18_the_environments_proxy_is_used() {
    let plain = |port: u16| {
        move |name: &str| (name == "http_proxy").then(|| format!("http://ada:pw@127.0.0.1:{port}"))
    };
    let proxy = Server::new(vec![Act::Send(says("ls"))]);
    let far = || spec(Protocol::OpenAi, "http://model.invalid/v1");
    let mut model = Remote::open_in(far(), &plain(proxy.port())).unwrap();
    assert_eq!(ask(&mut model, &chat()).unwrap().text, "ls");
    let seen = proxy.seen();
    assert!(
        seen[0].head.starts_with("POST http://model.invalid/v1/chat/completions HTTP/1.1"),
        "{}",
        seen[0].head
    );
    assert!(seen[0].field("proxy-authorization").is_some_and(|value| value.starts_with("Basic ")));

    // Encrypted end to end: the proxy sees neither key nor request.
    let ours = Authority::new();
    let server = ours.server("model.invalid", 2199, vec![Act::Send(says("ls"))]);
    let proxy = Server::new(vec![Act::Tunnel]);
    let address = format!("127.0.0.1:{}", proxy.port());
    let env = |name: &str| (name == "HTTPS_PROXY").then(|| address.clone());
    let url = format!("https://model.invalid:{}/v1", server.port());
    let secure = with_key(ServerSpec { ca_file: Some(ours.file()), ..spec(Protocol::OpenAi, &url) });
    assert_eq!(ask(&mut Remote::open_in(secure, &env).unwrap(), &chat()).unwrap().text, "ls");
    let seen = proxy.seen();
    assert!(
        seen[0].head.starts_with(&format!("CONNECT model.invalid:{} ", server.port())),
        "{}",
        seen[0].head
    );
    assert_eq!((seen.len(), seen[0].field("authorization")), (1, None));
    assert!(server.seen()[0].field("authorization").is_some());

    // Servers on this machine and hosts in NO_PROXY are contacted directly.
    let server = Server::new(vec![Act::Send(says("ls"))]);
    let local = spec(Protocol::OpenAi, &format!("http://127.0.0.1:{}", server.port()));
    assert_eq!(ask(&mut Remote::open_in(local, &plain(1)).unwrap(), &chat()).unwrap().text, "ls");
    let exempt = |name: &str| match name {
        "http_proxy" => Some("http://127.0.0.1:1".to_owned()),
        "no_proxy" => Some("localhost,.invalid".to_owned()),
        _ => None,
    };
    let told = message(far(), &exempt);
    assert!(told.starts_with("team: can't connect: ") && !told.contains("proxy"), "{told}");
}

#[test]
fn e18_a_dead_proxy_is_named() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let silent = Server::new(vec![Act::Stall(Vec::new())]);
    for (port, says) in [
        (closed, format!("team: can't connect through the proxy 127.0.0.1:{closed}: ")),
        (silent.port(), "team: no answer within 600ms".to_owned()),
    ] {
        for url in ["http://model.invalid/v1", "https://model.invalid/v1"] {
            let env =
                |name: &str| (name == "ALL_PROXY").then(|| format!("http://ada:hunter2@127.0.0.1:{port}"));
            let told = message(spec(Protocol::OpenAi, url), &env);
            assert!(told.starts_with(&says) && !told.contains("hunter2"), "{told}");
        }
    }
    let refusing = Server::new(vec![Act::Send(super::server::status(407, "", ""))]);
    let env = |name: &str| (name == "ALL_PROXY").then(|| format!("http://127.0.0.1:{}", refusing.port()));
    let told = message(spec(Protocol::OpenAi, "https://model.invalid/v1"), &env);
    assert!(told.contains("the proxy") && told.ends_with("check ALL_PROXY and NO_PROXY"), "{told}");
}
