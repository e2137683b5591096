//! `askline setup`: what it adds to start-up files, once, and that its undo leaves them byte by byte as they were.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use portable_pty::CommandBuilder;

use crate::cli::Askline;
use crate::model::smallest;
use crate::pty::Pty;

/// Start-up files of the four shells, the last without a line end.
const FILES: [(&str, &str); 4] = [
    (".bashrc", "alias l=ls\n# end\n"),
    (".zshrc", "setopt no_beep\r\n\n\n"),
    ("config/fish/config.fish", "set -g mine 1"),
    ("config/nushell/config.nu", "$env.config.show_banner = false\n"),
];

/// The row that each shell gets, but for the program.
const ROWS: [(&str, &str); 3] = [
    (".bashrc", "init bash)\"\n"),
    (".zshrc", "init zsh)\"\n"),
    ("config/fish/config.fish", "init fish | source\n"),
];

/// A home with the files, in which the command is run several times.
struct Home {
    place: tempfile::TempDir,
}

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = place.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Self { place }
    }

    /// Runs `askline setup` with these options and a scripted model; returns exit code, output and messages.
    fn setup(&self, options: &[&str]) -> (i32, String, String) {
        let home = self.place.path();
        let model = tempfile::NamedTempFile::new().unwrap();
        fs::write(model.path(), "{\"reply\": \"find . -size +10M\"}\n").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_askline"));
        command.arg("setup").args(options).env_clear().current_dir("/").env("HOME", home);
        for name in ["CONFIG", "CACHE", "DATA", "STATE"] {
            command.env(format!("XDG_{name}_HOME"), home.join(name.to_lowercase()));
        }
        let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/bin");
        command.env("PATH", format!("{}:/usr/bin:/bin", tools.display())).env("SHELL", "/bin/bash");
        command.env("ASKLINE_MODEL", format!("scripted:{}", model.path().display()));
        let output = command.stdin(std::process::Stdio::null()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(home.to_str().unwrap(), "HOME");
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Returns all files with their bytes, but for caches and figures.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn add(directory: &Path, home: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(home).unwrap().to_owned();
                if path.is_dir() {
                    add(&path, home, files);
                } else if !name.starts_with("cache") && !name.starts_with("state") {
                    files.insert(name, fs::read(&path).unwrap());
                }
            }
        }
        let mut files = BTreeMap::new();
        add(self.place.path(), self.place.path(), &mut files);
        files.retain(|name, _| !name.starts_with("data/askline"));
        files
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.place.path().join(name)).unwrap()
    }
}

const ALL: [&str; 9] = ["--yes", "--shell", "bash", "--shell", "zsh", "--shell", "fish", "--shell", "nu"];

#[test]
fn set_up_and_undone_the_files_of_four_shells_are_the_same_bytes() {
    for files in [&FILES[..], &[]] {
        let home = Home::new(files);
        let before = home.files();
        let (code, said, errors) = home.setup(&ALL);
        assert_eq!((code, errors.as_str()), (0, ""), "{said}");
        for (name, row) in ROWS {
            let text = home.text(name);
            assert!(
                text.ends_with(row) && text.contains("\n# added by `askline setup`") || files.is_empty(),
                "{text}"
            );
            assert_eq!(text.matches(" init ").count(), 1, "{text}");
        }
        let script = home.text("data/nushell/vendor/autoload/askline.nu");
        assert!(script.starts_with(&format!("# askline init nu, version {}", env!("CARGO_PKG_VERSION"))));
        assert!(said.contains("tried: list files bigger than 10 MB\n    find . -size +10M\n"), "{said}");
        assert!(said.contains("press Ctrl-G"), "{said}");
        let (code, said, errors) = home.setup(&["--uninstall"]);
        assert_eq!((code, errors.as_str()), (0, ""), "{said}");
        assert_eq!(home.files(), before);
    }
}

#[test]
fn a_second_time_nothing_is_added() {
    let home = Home::new(&FILES);
    home.setup(&ALL);
    let once = home.files();
    let (code, said, _) = home.setup(&ALL);
    assert_eq!(code, 0);
    for place in [
        "bash: is set up in HOME/.bashrc:4\n",
        "nu: is set up in HOME/data/nushell/vendor/autoload/askline.nu:1\n",
    ] {
        assert!(said.contains(place), "{said}");
    }
    assert_eq!(home.files(), once);
}

/// What people added themselves counts as set up, and is never removed.
#[test]
fn a_row_of_yours_stays() {
    let yours = "eval \"$(askline init bash --key alt-a)\"\n";
    let home = Home::new(&[(".bashrc", yours)]);
    let (code, said, _) = home.setup(&["--yes", "--no-model"]);
    assert!(code == 0 && said.starts_with("bash: is set up in HOME/.bashrc:1\n"), "{said}");
    let (_, said, _) = home.setup(&["--uninstall"]);
    assert!(said.contains("HOME/.bashrc:1 was not added by `askline setup`; remove it yourself"), "{said}");
    assert_eq!(home.text(".bashrc"), yours);
}

#[test]
fn shells_in_use_are_found() {
    let home = Home::new(&[("config/fish/config.fish", "")]);
    let (code, said, _) = home.setup(&["--yes", "--no-model"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("bash: adds to HOME/.bashrc\n") && said.contains("fish: adds to "), "{said}");
    assert!(!said.contains("zsh:") && !said.contains("nu:"), "{said}");
    assert!(!said.contains("tried:"), "{said}");
}

#[test]
fn an_old_script_of_nushell_is_replaced() {
    let place = "data/nushell/vendor/autoload/askline.nu";
    let home = Home::new(&[(place, "# askline init nu, version 0.0.1\nold\n")]);
    let (code, said, _) = home.setup(&["--yes", "--no-model", "--shell", "nu"]);
    assert_eq!(code, 0, "{said}");
    assert!(!home.text(place).contains("\nold\n"));
}

#[test]
fn without_a_terminal_nothing_is_done_unasked() {
    let home = Home::new(&FILES);
    let before = home.files();
    let (code, said, errors) = home.setup(&[]);
    assert_eq!(code, 2, "{said}");
    assert!(errors.ends_with("add --yes to agree to all of it\n"), "{errors}");
    assert_eq!(home.files(), before);
}

/// The rows load in their shells: each reads its file without running it.
#[test]
fn the_shells_can_read_their_files() {
    let home = Home::new(&FILES);
    home.setup(&ALL);
    for (shell, file) in [("bash", ".bashrc"), ("zsh", ".zshrc"), ("fish", "config/fish/config.fish")] {
        let output = Command::new(shell).arg("-n").arg(home.place.path().join(file)).output();
        let Ok(output) = output else {
            assert!(std::env::var_os("CI").is_none(), "{shell} is not installed");
            continue;
        };
        assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_file_that_can_not_be_written_is_named_and_stays() {
    let home = Home::new(&[]);
    fs::create_dir(home.place.path().join(".bashrc")).unwrap();
    let (code, _, errors) = home.setup(&["--yes", "--no-model", "--shell", "bash", "--shell", "zsh"]);
    assert_eq!(code, 1, "{errors}");
    assert!(errors.starts_with("askline: bash: ") && errors.contains("HOME/.bashrc"), "{errors}");
    assert!(home.text(".zshrc").ends_with("init zsh)\"\n"));
}

/// At a terminal each step is asked for, and the models that could be fetched are listed.
#[test]
fn each_step_is_asked_for() {
    let home = Home::new(&FILES);
    let before = home.files();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_askline"));
    command.args(["setup", "--shell", "zsh", "--shell", "bash"]);
    command.env_clear();
    for (name, value) in [("HOME", home.place.path()), ("PATH", Path::new("/usr/bin:/bin"))] {
        command.env(name, value);
    }
    let mut pty = Pty::start(24, 160, command);
    pty.wait_for("zsh: adds to");
    pty.wait_for("do it? y or n");
    // Both questions are not asked at once.
    assert_eq!(pty.screen().matches("y or n").count(), 1, "{}", pty.screen());
    pty.send("maybe\r");
    pty.wait_for("please answer y or n");
    pty.send("no\r");
    pty.wait_for("bash: adds to");
    pty.wait("the second question", |screen| screen.matches("y or n").count() == 3);
    assert_eq!(home.files(), before);
    pty.send("y\r");
    let screen = pty.wait_for("fetch qwen2.5-coder-0.5b-instruct-q4_k_m (491 MB)? y or n");
    assert!(screen.contains("model: none is installed; this machine has "), "{screen}");
    assert!(
        screen.contains("qwen2.5-coder-0.5b-instruct-q4_k_m  491 MB to fetch, 850 MB of memory; right in "),
        "{screen}"
    );
    pty.send("n\r");
    pty.wait_for("without a model only half-right commands are mended");
    assert!(pty.wait_exit().success());
    assert!(home.text(".bashrc").ends_with("init bash)\"\n"));
    assert_eq!(home.text(".zshrc"), FILES[1].1);
}

/// Models of a manifest in the test's home, with names and bytes of memory; some are installed.
struct Models<'a> {
    listed: &'a [(&'a str, u32)],
    installed: &'a [&'a str],
}

/// Runs `askline setup --shell bash` at a terminal.
fn setup_with(home: &Home, models: &Models<'_>) -> Pty {
    let bytes = smallest();
    let entry = |(name, memory): &(&str, u32)| {
        let (size, sha256) = (bytes.len(), "0".repeat(64));
        format!(
            "[[model]]\nname = \"{name}\"\nfile = \"{name}.gguf\"\nsize = {size}\nsha256 = \"{sha256}\"\nlicence = \"MIT\"\n\
             memory = {memory}\ncontext = 512\nsources = [{{ url = \"http://127.0.0.1:9/{name}\" }}]\n"
        )
    };
    let manifest = home.place.path().join("manifest.toml");
    fs::write(&manifest, models.listed.iter().map(entry).collect::<String>()).unwrap();
    let directory = home.place.path().join("data/askline/models");
    fs::create_dir_all(&directory).unwrap();
    for name in models.installed {
        fs::write(directory.join(format!("{name}.gguf")), &bytes).unwrap();
    }
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_askline"));
    command.args(["setup", "--shell", "bash"]);
    command.env_clear();
    command.env("HOME", home.place.path());
    command.env("XDG_DATA_HOME", home.place.path().join("data"));
    command.env("XDG_CONFIG_HOME", home.place.path().join("config"));
    command.env("ASKLINE_MANIFEST", &manifest);
    command.env("PATH", "/usr/bin:/bin");
    Pty::start(24, 160, command)
}

/// A model that is there, but not the one in use, is offered first; who declines it is offered the others.
#[test]
fn a_model_that_is_here_is_offered_before_others() {
    let home = Home::new(&FILES);
    let models = Models { listed: &[("here", 3_000_000), ("other", 2_000_000)], installed: &["here"] };
    let mut pty = setup_with(&home, &models);
    pty.wait_for("bash: adds to");
    pty.send("n\r");
    let screen = pty.wait_for("use here? y or n");
    assert!(screen.contains("model: here is installed, but not in use"), "{screen}");
    pty.send("n\r");
    let screen = pty.wait_for("fetch other (");
    assert!(screen.contains("model: others can be fetched; this machine has "), "{screen}");
    assert!(!screen.contains("none is installed"), "{screen}");
    assert_eq!(screen.matches(" to fetch, ").count(), 1, "{screen}");
    pty.send("n\r");
    pty.wait_for("without a model only half-right commands are mended");
    assert!(pty.wait_exit().success());
}

/// The second model of the measured pair is offered once a shell is set up; who agrees is not asked again.
#[test]
fn a_second_model_is_offered() {
    const FIRST: &str = "qwen2.5-coder-0.5b-instruct-q4_k_m";
    const SECOND: &str = "qwen2.5-coder-1.5b-instruct-q4_k_m";
    let home = Home::new(&FILES);
    let models = Models { listed: &[(FIRST, 1_000_000), (SECOND, 2_000_000)], installed: &[FIRST, SECOND] };
    let mut pty = setup_with(&home, &models);
    pty.wait_for("bash: adds to");
    pty.send("y\r");
    let screen = pty.wait_for(&format!("ask {SECOND} as well? y or n"));
    assert!(screen.contains("both take 3.0 MB of memory"), "{screen}");
    pty.send("n\r");
    pty.wait_for(&format!("later: askline model use --second {SECOND}"));
    pty.wait_exit();
    let config = home.place.path().join("config/askline/config.toml");
    assert!(!config.exists());

    let mut pty = setup_with(&home, &models);
    pty.wait_for(&format!("ask {SECOND} as well? y or n"));
    pty.send("y\r");
    pty.wait_for(&format!("{SECOND} is now asked as well where {FIRST} is unsure"));
    pty.wait_exit();
    assert!(fs::read_to_string(config).unwrap().contains(SECOND));

    let mut pty = setup_with(&home, &models);
    pty.wait_for("tried `list files bigger than 10 MB`");
    assert!(!pty.screen().contains("as well?"), "{}", pty.screen());
    pty.wait_exit();
}

#[test]
fn it_is_in_the_help() {
    let ran = Askline::new(["--help"]).run().code(0);
    assert!(ran.stdout.contains("\n  setup "), "{}", ran.stdout);
}
