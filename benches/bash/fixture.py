"""The directories that the requests are about. All files are generated, none is copied.

Each task runs in one of the PLACES. `make` writes them all, `date_files` gives the files of one place their times. Ages count
back from the moment of the call, so a copy of a place must be dated again before an answer runs in it."""

import bz2
import gzip
import io
import os
import subprocess
import tarfile
import time
import zipfile
from pathlib import Path

PLACES = ("office", "media", "code", "data", "stuff", "repo")

MINUTE, HOUR, DAY = 60, 3600, 86400
# Age of everything that AGES does not name.
USUAL_AGE = 20 * DAY

# office: times. The ages keep a distance from every limit that a request names, and from whole days.
OFFICE = {
    "agenda.txt": "call the bank\nbook the room\nprint the agenda\n",
    "minutes.txt": "present: Ann, Raj, Mia\nbudget approved\nnext meeting on Friday\n",
    "memo one.txt": "water the plants\n",
    "old-plan.txt": "plan for the old office\nmove in spring\n",
    "budget.csv": "item,amount\nrent,1200\npaper,45\ncoffee,80\n",
    "offer.pdf": "%PDF offer\n",
    "contract.pdf": "%PDF contract, signed\n",
    "lease.pdf": "%PDF lease\n",
    "photo.jpg": "jpeg data\n",
    "tmp.log": "sync ok\nsync ok\n",
    "sync.log": "sync ok\nsync failed\nsync ok\n",
    "cron.log": "job 1 started\njob 1 done\n",
    ".draft.txt": "first draft\n",
    "archive/2019.txt": "year 2019\n",
    "archive/taxes.csv": "year,tax\n2020,310\n2021,290\n",
    "archive/recent.txt": "fresh note\n",
    "archive/letters/jane.txt": "Dear Jane,\nthe budget is fine\n",
    "archive/letters/bob.txt": "Dear Bob,\nall is well\n",
    "scans/scan1.png": "png 1\n",
    "scans/scan2.png": "png 2\n",
    "scans/scan3.png": "png 3\n",
}
AGES = {
    "office": {
        "agenda.txt": 20 * MINUTE,
        "minutes.txt": 3 * HOUR,
        "memo one.txt": 6 * HOUR,
        "old-plan.txt": 400 * DAY,
        "budget.csv": 30 * HOUR,
        "offer.pdf": 5.5 * DAY,
        "contract.pdf": 12.5 * DAY,
        "lease.pdf": 45.5 * DAY,
        "photo.jpg": 100.5 * DAY,
        "tmp.log": 8 * HOUR,
        "sync.log": 15.5 * DAY,
        "cron.log": 90 * MINUTE,
        ".draft.txt": 10 * MINUTE,
        "archive/2019.txt": 800 * DAY,
        "archive/taxes.csv": 50.5 * DAY,
        "archive/recent.txt": 1 * HOUR,
        "archive/letters/jane.txt": 2.5 * HOUR,
        "archive/letters/bob.txt": 9.5 * DAY,
        "scans/scan1.png": 25 * MINUTE,
        "scans/scan2.png": 40 * HOUR,
        "scans/scan3.png": 70.5 * DAY,
        "archive": 60.5 * DAY,
        "archive/letters": 2.5 * DAY,
        "scans": 10.5 * DAY,
        "tmp": 200.5 * DAY,
        ".": 1.5 * DAY,
    },
    "code": {"build/main.o": 3 * DAY, "build/out.o": 8 * DAY, "src/main.c": 2 * DAY, "src/util.c": 9 * DAY},
}
# Age of the last access, where it is not the age of the content.
ACCESS_AGES = {
    "office": {
        "contract.pdf": 2 * HOUR,
        "old-plan.txt": 26 * HOUR,
        "photo.jpg": 3.5 * DAY,
        "lease.pdf": 40.5 * DAY,
        "archive/2019.txt": 500.5 * DAY,
        "minutes.txt": 1.2 * HOUR,
        "budget.csv": 4.5 * HOUR,
    }
}

# media: sizes in bytes.
SIZES = {
    "intro.mp4": 2_300_000,
    "clip.mp4": 1_350_000,
    "short.mov": 700_000,
    "cover.jpg": 220_000,
    "logo.png": 12_300,
    "icon.png": 1_500,
    "empty.wav": 0,
    "theme.mp3": 900_000,
    ".cache.bin": 1_600_000,
    "readme.txt": 150,
    "songs/one.mp3": 450_000,
    "songs/two words.mp3": 300_000,
    "songs/three.MP3": 350_000,
    "songs/live/four.mp3": 1_150_000,
    "songs/live/list.txt": 0,
    "songs/notes.txt": 0,
    "raw/shot1.raw": 1_800_000,
    "raw/shot2.raw": 90_000,
    "raw/shot3.raw": 5_200,
}

# code: kinds, names, permissions.
CODE = {
    "README.md": "# Harbour\n\nA small server.\n\nTODO: write the guide\n\n## Install\n\nrun `make install`\n",
    "Makefile": "all: main.o\n\tcc -o app build/main.o\n\nclean:\n\trm -f build/*.o\n\ninstall: all\n\tcp app /usr/local/bin\n",
    "build.sh": "#!/bin/sh\n# build everything\nset -e\nmake all\necho done\n",
    "run.py": "#!/usr/bin/env python3\nimport sys\nfrom src import app\n\nprint(sys.argv)\napp.main()\n",
    "setup.py": "from setuptools import setup\n\nsetup(name='harbour', version='1.4.2')\n",
    ".env": "PORT=8080\nDEBUG=true\nDB_HOST=localhost\n",
    ".gitignore": "build/\n*.o\nnode_modules/\n",
    "my notes.txt": "todo: buy milk\nremember the port\n",
    "notes.bak": "old notes\n",
    "secret.key": "k3y\n",
    "src/main.c": '#include <stdio.h>\n#include "util.h"\n\n// TODO: parse arguments\nint main(void) {\n    printf("error: none\\n");\n'
    "    return helper(3);\n}\n",
    "src/main.c.bak": "int main(void) { return helper(0); }\n",
    "src/util.c": '#include "util.h"\n\nint helper(int n) {\n    return n * 2; // FIXME overflow\n}\n',
    "src/util.h": "int helper(int n);\n",
    "src/app.py": "import os\nimport json\n\n# TODO: read the config\ndef main():\n    debug = True\n    print('start', os.getcwd())\n"
    "    # TODO: stop cleanly\n    raise SystemExit('Error: no port')\n",
    "src/server.js": "const http = require('http');\n// todo: https\nhttp.createServer().listen(8080);\nconsole.log('listening');\n",
    "src/.hidden.py": "import json\n",
    "src/old code.py": "print 'python 2'\n",
    "src/lib/parse.py": "import json\n\ndef parse(text):\n    return json.loads(text)\n\ndef dump(value):\n    return json.dumps(value)\n",
    "src/lib/parse.py~": "import json\n",
    "src/lib/parse.js": "function parse(text) {\n  // TODO: errors\n  return JSON.parse(text);\n}\n",
    "src/lib/Parse.java": "class Parse {\n  // FIXME\n}\n",
    "src/lib/helper.sh": "#!/bin/sh\necho helping\n",
    "src/lib/readonly.cfg": "mode = fixed\n",
    "src/lib/deep/core.py": "import os\nimport sys\n\nLIMIT = 10\n",
    "tests/test_app.py": "from src import app\n\ndef test_main():\n    assert app\n\ndef test_error():\n    assert True\n",
    "tests/test_parse.py": "def test_parse():\n    assert 1\n",
    "tests/data/sample.json": '{"name": "sample", "size": 3}\n',
    "tests/data/empty.json": "",
    "docs/guide.md": "# Guide\n\nStart the server on port 8080.\nThen open port 9090 for metrics.\n\n"
    "# Errors\n\nAn ERROR ends the server.\n",
    "docs/Guide-old.md": "# Old guide\n",
    "docs/api.html": "<h1>API</h1>\n<p>port</p>\n",
    "docs/index.html": "<h1>Docs</h1>\n<a href=\"api.html\">api</a>\n",
    "docs/shared.txt": "anyone may write here\n",
    "node_modules/left/index.js": "// TODO: vendor\nmodule.exports = 1;\n",
    "node_modules/left/package.json": '{"name": "left", "version": "0.1.0"}\n',
    "build/out.o": "object\n",
    "build/main.o": "object main\n",
    "build/app.bin": "binary\n",
    "build/log.txt": "",
}
MODES = {
    "code": {
        "build.sh": 0o755,
        "run.py": 0o755,
        "src/lib/helper.sh": 0o755,
        "build/app.bin": 0o755,
        "secret.key": 0o600,
        "docs/shared.txt": 0o666,
        "src/lib/readonly.cfg": 0o444,
        ".env": 0o640,
    }
}
LINKS = {
    "code": {"latest": "src/main.c", "broken": "missing.txt", "libs": "src/lib", "docs/start": "guide.md"},
    "media": {"link.mp4": "intro.mp4"},
}
EMPTY_FOLDERS = {
    "office": ["tmp"],
    "media": ["old"],
    "code": ["docs/img", "build/tmp/cache", ".cache"],
    "stuff": ["backup", "out"],
    "data": ["reports"],
    "repo": [],
}

# data: tables, logs, lists.
DATA = {
    "sales.csv": """\
date,region,product,quantity,price
2026-01-05,north,lamp,4,19.50
2026-01-05,south,chair,2,75.00
2026-01-06,north,desk,1,240.00
2026-01-07,east,lamp,10,18.90
2026-01-09,south,lamp,3,19.50
2026-01-09,west,shelf,6,42.25
2026-01-12,north,chair,5,72.00
2026-01-15,east,desk,2,235.00
2026-02-02,west,lamp,1,21.00
2026-02-03,south,shelf,8,40.00
2026-02-11,north,lamp,12,18.00
2026-02-20,east,chair,2,79.90
""",
    "staff.csv": """\
id;name;team;salary;city
7;Ann Lee;sales;3900;York
3;Raj Patel;support;3100;Leeds
12;Mia Wong;sales;4400;York
5;Tom Reed;it;5200;Hull
21;Zoe Hart;it;4700;Leeds
9;Ian Ford;support;2950;York
""",
    "scores.tsv": "player\tround\tpoints\nkiwi\t1\t17\nfox\t1\t23\nowl\t1\t9\n"
    "kiwi\t2\t31\nfox\t2\t5\nowl\t2\t28\nkiwi\t3\t12\nfox\t3\t23\n",
    "access.log": """\
10.0.0.5 - - [12/Mar/2026:06:25:01 +0000] "GET /index.html HTTP/1.1" 200 5120
10.0.0.9 - - [12/Mar/2026:06:25:09 +0000] "GET /img/logo.png HTTP/1.1" 200 20480
10.0.0.5 - - [12/Mar/2026:06:26:44 +0000] "POST /login HTTP/1.1" 302 210
172.16.4.2 - - [12/Mar/2026:06:31:12 +0000] "GET /admin HTTP/1.1" 403 98
10.0.0.7 - - [12/Mar/2026:07:02:30 +0000] "GET /missing.html HTTP/1.1" 404 312
10.0.0.5 - - [12/Mar/2026:07:05:58 +0000] "GET /report.pdf HTTP/1.1" 200 98304
172.16.4.2 - - [12/Mar/2026:07:40:03 +0000] "GET /missing.html HTTP/1.1" 404 312
10.0.0.9 - - [12/Mar/2026:08:15:20 +0000] "GET /index.html HTTP/1.1" 200 5120
10.0.0.5 - - [12/Mar/2026:08:16:00 +0000] "GET /api/v1/items?page=404 HTTP/1.1" 500 77
172.16.4.2 - - [12/Mar/2026:08:59:59 +0000] "DELETE /api/v1/items/3 HTTP/1.1" 401 64
""",
    "app.log": """\
2026-03-12 06:00:01 INFO service started
2026-03-12 06:00:02 DEBUG cache size 200
2026-03-12 06:04:10 WARN slow query took 1500 ms
2026-03-12 06:05:00 ERROR disk almost full
2026-03-12 06:10:30 INFO user ann logged in
2026-03-12 06:15:12 error retry of upload failed
2026-03-12 06:15:13 INFO no errors in backup
2026-03-12 07:00:00 DEBUG cache size 310
2026-03-12 07:12:45 ERROR connection to db lost
2026-03-12 07:12:50 INFO connection to db restored
2026-03-12 07:30:00 WARN slow query took 900 ms
2026-03-12 07:45:09 ERROR disk almost full
2026-03-12 08:00:00 INFO service stopped
""",
    "old.log": "2025-12-31 23:59:00 INFO rotated\n2025-12-31 23:59:59 ERROR disk almost full\n",
    "poem.txt": """\
The rain falls on the roof

the river runs to the sea
   and the sea keeps the rain

Tomorrow the sun comes back
but not the same sun

The end
""",
    "names.txt": "Olga\nbill\nAnna\nbill\nCarl\nolga\nDora\nAnna\nbill\nEvan\n",
    "numbers.txt": "42\n7\n100\n-3\n7\n15\n1000\n11\n8\n23\n",
    "decimals.txt": "2.5\n10.25\n0.75\n3\n",
    "list-a.txt": "apple\nbanana\ncherry\ngrape\nlemon\n",
    "list-b.txt": "banana\ngrape\nkiwi\nmango\n",
    "shuffled.txt": "mango\napple\nkiwi\ncherry\n",
    "ids.txt": "1 Ann\n2 Raj\n3 Mia\n4 Tom\n",
    "cities.txt": "1 York\n2 Leeds\n4 Hull\n5 Bath\n",
    "mails.txt": "ann@example.com\nRAJ@EXAMPLE.COM\nmia.wong@mail.example.org\nnot a mail\ntom@example.net\nann@example.com\n",
    "config.ini": "# main settings\n[server]\nhost = localhost\nport = 8080\n\n; old\n#port = 80\n[client]\nretries = 3\nhost = remote\n",
    "urls.txt": "https://example.com/a/index.html\nhttp://example.org/files/data.tar.gz\n"
    "https://shop.example.com/cart?id=7\nftp://example.net/pub/readme.txt\n",
    "dos.txt": "first line\r\nsecond line\r\nthird line\r\n",
    "sizes.txt": "cache 1.5G\nimages 300M\ndocs 12G\nlogs 900K\nvideo 45M\n",
    "versions.txt": "1.10.0\n1.2.0\n1.9.3\n2.0.1\n1.2.10\n",
    "tabs.txt": "name\tvalue\tunit\nalpha\t1\tkg\nbeta\t2\tm\n",
    "matrix.txt": "1 2 3\n4 5 6\n7 8 9\n",
    "long.txt": "".join(f"line {n}\n" for n in range(1, 41)),
    "essay.txt": "A cat sat on the mat. The cat ran; the dog ran too.\nCats and dogs, cat again.\nNo animal here.\n",
    "months.txt": "Mar 3\nJan 12\nDec 1\nJan 5\nAug 20\n",
    "users.json": """\
[
  {"name": "ann", "age": 31, "admin": true, "tags": ["a", "b"], "address": {"city": "York"}},
  {"name": "raj", "age": 27, "admin": false, "tags": [], "address": {"city": "Leeds"}},
  {"name": "mia", "age": 44, "admin": false, "tags": ["b"], "address": {"city": "York"}},
  {"name": "tom", "age": 19, "admin": true, "tags": ["c", "a", "d"], "address": {"city": "Hull"}}
]
""",
    "settings.json": '{"theme": "dark", "font": {"name": "Mono", "size": 12}, "plugins": ["git", "lint"], "version": "2.3.1"}\n',
    "events.jsonl": '{"type": "login", "user": "ann", "ms": 120}\n{"type": "view", "user": "raj", "ms": 35}\n'
    '{"type": "login", "user": "mia", "ms": 80}\n{"type": "logout", "user": "ann", "ms": 5}\n',
    ".hidden.csv": "a,b\n1,2\n",
}

# stuff: files to move, copy, rename, pack and unpack.
STUFF = {
    "a.txt": "alpha\n",
    "b.txt": "beta\n",
    "c.TXT": "gamma\n",
    "report 2025.doc": "report\n",
    "report-final.doc": "final\n",
    "IMG_001.JPG": "one\n",
    "IMG_002.JPG": "two\n",
    "IMG_010.jpg": "ten\n",
    "song.mp3": "tune\n",
    "page.htm": "<p>page</p>\n",
    "list.csv": "k,v\nx,1\ny,2\n",
    "todo.txt": "wash\ncook\nread\n",
    "done.txt": "sleep\n",
    ".profile": "export A=1\n",
    "photos/cat.jpg": "cat\n",
    "photos/dog.jpg": "dog\n",
    "photos/trip/sea.jpg": "sea\n",
    "photos/trip/plan.txt": "go\n",
    "photos/.thumbs": "t\n",
    "docs/one.md": "# one\n",
    "docs/two.md": "# two\n",
    "docs/draft.md": "# draft\n",
    "docs/sub/three.md": "# three\n",
    "docs/sub/pic.png": "pic\n",
    "logs/app.log": "new log\n",
    "logs/app.log.1": "log 1\n",
    "logs/app.log.2": "log 2\n",
    "logs/db.log": "db\n",
    "logs/old/app.log": "older\n",
    "backup/a.txt": "alpha of last week\n",
}
PACKED = {"pack/readme.txt": "read me\n", "pack/src/main.py": "print(1)\n", "pack/src/util.py": "print(2)\n", "pack/logo.svg": "<svg/>\n"}

REPO_COMMITS = (
    ("2026-01-10T09:00:00Z", "Ann Lee", "Add the first page", {"index.md": "# Home\n", "style.css": "body {}\n"}),
    ("2026-01-12T10:00:00Z", "Raj Patel", "Add the contact page", {"contact.md": "# Contact\nmail us\n"}),
    ("2026-01-20T16:30:00Z", "Ann Lee", "Fix a typo in contact", {"contact.md": "# Contact\nMail us\n"}),
    ("2026-02-02T08:15:00Z", "Mia Wong", "Add a build script", {"build.sh": "echo build\n", "lib/tool.py": "x = 1\n"}),
    ("2026-02-14T12:00:00Z", "Ann Lee", "Fix the style", {"style.css": "body { margin: 0 }\n"}),
    ("2026-03-01T11:45:00Z", "Raj Patel", "Prepare release 1.1", {"VERSION": "1.1\n", "index.md": "# Home\n\nWelcome\n"}),
)


def make(root: Path) -> None:
    """Makes all places below `root`, which must be empty."""
    for place, texts in (("office", OFFICE), ("code", CODE), ("data", DATA), ("stuff", STUFF)):
        for path, text in texts.items():
            written(root / place / path).write_text(text, newline="")
    for path, size in SIZES.items():
        written(root / "media" / path).write_bytes(bytes(range(1, 251)) * (size // 250) + b"x" * (size % 250))
    make_archives(root / "stuff")
    make_repo(root / "repo")
    for place in PLACES:
        for path in EMPTY_FOLDERS[place]:
            (root / place / path).mkdir(parents=True, exist_ok=True)
        for path, mode in MODES.get(place, {}).items():
            (root / place / path).chmod(mode)
        for path, target in LINKS.get(place, {}).items():
            (root / place / path).symlink_to(target)


def make_archives(stuff: Path) -> None:
    with tarfile.open(stuff / "bundle.tar.gz", "w:gz") as bundle, tarfile.open(stuff / "old.tar", "w") as old:
        for name, text in PACKED.items():
            for archive in (bundle, old) if name.endswith("py") else (bundle,):
                member = tarfile.TarInfo(name)
                member.size, member.mode = len(text), 0o644
                archive.addfile(member, io.BytesIO(text.encode()))
    with zipfile.ZipFile(stuff / "icons.zip", "w") as icons:
        for name, text in {"icons/up.png": "up\n", "icons/down.png": "down\n", "license.txt": "free\n"}.items():
            icons.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), text)
    (stuff / "letter.txt.gz").write_bytes(gzip.compress(b"dear reader\nbye\n", mtime=0))
    (stuff / "table.csv.bz2").write_bytes(bz2.compress(b"a,b\n1,2\n"))


def make_repo(repo: Path) -> None:
    repo.mkdir(parents=True)
    git(repo, "init", "--quiet", "--initial-branch=main")
    for number, (when, author, subject, texts) in enumerate(REPO_COMMITS):
        for path, text in texts.items():
            written(repo / path).write_text(text)
        git(repo, "add", "--all")
        git(repo, "commit", "--quiet", "--message", subject, when=when, author=author)
        if number == 3:
            git(repo, "tag", "v1.0")
            git(repo, "branch", "archive-2025")
        if number == 4:
            git(repo, "branch", "feature/search")
    git(repo, "switch", "--quiet", "feature/search")
    (repo / "search.md").write_text("# Search\n")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "Start the search page", when="2026-03-03T09:00:00Z", author="Mia Wong")
    git(repo, "switch", "--quiet", "main")
    # Changes that are not committed: one staged, two not staged, one file that git does not know, one that it ignores.
    (repo / "contact.md").write_text("# Contact\nMail us\nor call\n")
    git(repo, "add", "contact.md")
    (repo / "index.md").write_text("# Home\n\nWelcome back\n")
    (repo / "build.sh").write_text("echo build all\n")
    (repo / "notes.txt").write_text("do not commit\n")
    (repo / ".git/info/exclude").write_text("*.tmp\n")
    (repo / "scratch.tmp").write_text("scratch\n")


def git(repo: Path, *words: str, when: str = "2026-01-01T00:00:00Z", author: str = "Ann Lee") -> None:
    mail = author.split()[0].lower() + "@example.com"
    environment = {"PATH": os.environ["PATH"], "HOME": str(repo), "GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC"}
    for role in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{role}_NAME": author, f"GIT_{role}_EMAIL": mail, f"GIT_{role}_DATE": when}
    subprocess.run(["git", "-C", str(repo), *words], env=environment, check=True)


def date_files(folder: Path, place: str) -> None:
    """Sets the times in a copy of a place, counted back from now; deepest first, because a change in a folder dates the folder."""
    now = time.time()
    ages, access = AGES.get(place, {}), ACCESS_AGES.get(place, {})
    if place == "repo":
        return
    for path in sorted(folder.rglob("*"), reverse=True) + [folder]:
        name = str(path.relative_to(folder))
        age = ages.get(name, USUAL_AGE)
        os.utime(path, (now - access.get(name, age), now - age), follow_symlinks=False)


def written(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
