"""The directory of the tasks: files with known text, size and date. All files are generated, none is copied.

Dates are fixed, except in `inbox`: its files have a fixed age in hours when the directory is made."""

import os
import sqlite3
import time
from datetime import datetime, timezone
from pathlib import Path

# Contents of the directory, by path. Text is written unchanged.
TEXTS = {
    "products.csv": """\
id,name,category,price,stock
1,Desk Lamp,lighting,34.90,12
2,Floor Lamp,lighting,89.00,3
3,Office Chair,seating,159.50,7
4,Stool,seating,24.00,40
5,Bookshelf,storage,120.00,0
6,Drawer Unit,storage,75.25,9
7,Standing Desk,tables,449.00,2
8,Side Table,tables,59.90,15
9,Coat Rack,storage,39.99,0
10,Bench,seating,99.00,5
11,LED Strip,lighting,14.50,120
12,Monitor Arm,accessories,69.00,18
""",
    "employees.csv": """\
name,team,city,salary,started
Ada Holm,engineering,Oslo,61000,2019-03-01
Ben Ito,engineering,Kyoto,58000,2021-07-15
Cleo Diaz,sales,Madrid,42000,2020-01-10
Dan Roy,sales,Oslo,39500,2023-05-02
Eva Lund,support,Bergen,36000,2022-11-20
Finn Okoro,engineering,Lagos,64500,2018-09-05
Gia Rossi,marketing,Rome,45000,2021-02-28
Hal Berg,support,Oslo,35500,2024-01-08
Ines Costa,sales,Lisbon,47000,2017-06-19
Jon Weiss,marketing,Berlin,44000,2022-04-04
""",
    "managers.csv": """\
team,manager
engineering,Olga
sales,Pavel
support,Quinn
marketing,Rita
""",
    "cities.tsv": "city\tcountry\tpopulation\nOslo\tNorway\t709000\nBergen\tNorway\t289000\nMadrid\tSpain\t3280000\n"
    "Lisbon\tPortugal\t546000\nRome\tItaly\t2760000\nBerlin\tGermany\t3850000\nKyoto\tJapan\t1450000\n",
    "readings.csv": """\
time,sensor,value
2024-05-01 00:00,attic,18.5
2024-05-01 06:00,attic,
2024-05-01 12:00,attic,24.0
2024-05-01 00:00,cellar,11.0
2024-05-01 06:00,cellar,10.5
2024-05-01 12:00,cellar,
2024-05-02 00:00,attic,19.5
2024-05-02 00:00,cellar,12.5
""",
    "orders.json": """\
[
  {"id": 101, "customer": "Marta", "date": "2024-03-02", "paid": true, "total": 250.5, "items": ["Stool", "Bench"], "ship": {"city": "Porto", "express": false}},
  {"id": 102, "customer": "Nils", "date": "2024-03-09", "paid": false, "total": 34.9, "items": ["Desk Lamp"], "ship": {"city": "Oslo", "express": true}},
  {"id": 103, "customer": "Marta", "date": "2024-04-01", "paid": true, "total": 449, "items": ["Standing Desk"], "ship": {"city": "Porto", "express": true}},
  {"id": 104, "customer": "Otto", "date": "2024-04-17", "paid": false, "total": 183, "items": ["Stool", "Office Chair"], "ship": {"city": "Ulm", "express": false}},
  {"id": 105, "customer": "Pia", "date": "2024-05-20", "paid": true, "total": 99, "items": ["Bench"], "ship": {"city": "Oslo", "express": false}},
  {"id": 106, "customer": "Nils", "date": "2024-05-21", "paid": true, "total": 14.5, "items": ["LED Strip"], "ship": {"city": "Oslo", "express": false}},
  {"id": 107, "customer": "Otto", "date": "2024-06-30", "paid": false, "total": 59.9, "items": ["Side Table"], "ship": {"city": "Ulm", "express": true}}
]
""",
    "package.json": """\
{
  "name": "lantern",
  "version": "2.4.1",
  "scripts": {"build": "vite build", "test": "vitest", "lint": "eslint ."},
  "dependencies": {"dayjs": "1.11.10", "zod": "3.23.8", "preact": "10.22.0"},
  "private": true
}
""",
    "config.toml": """\
title = "lantern"
debug = false

[server]
host = "127.0.0.1"
port = 8080
timeout = 30

[database]
url = "sqlite://shop.db"
pool = 10

[[backends]]
name = "east"
weight = 3

[[backends]]
name = "west"
weight = 5
""",
    "settings.yaml": """\
theme: dark
autosave: true
font:
  name: Hack
  size: 13
plugins:
  - spell
  - outline
  - git
""",
    "catalog.xml": """\
<catalog>
  <book id="b1"><title>Fog</title><year>1998</year></book>
  <book id="b2"><title>Harbour</title><year>2011</year></book>
  <book id="b3"><title>Quiet Hills</title><year>2020</year></book>
</catalog>
""",
    "words.txt": "pear\napple\nfig\napple\nbanana\nfig\napple\ncherry\nkiwi\npear\n",
    "numbers.txt": "12\n7\n-3\n40\n19\n7\n25\n",
    "people.txt": "mia:34:Graz\nleo:27:Bern\nzoe:41:Graz\nian:19:Linz\n",
    "contacts.txt": """\
Mia Graf <mia@example.org> since 2019
no address here
Leo Kurz <leo.kurz@example.com> since 2021
Zoe Lang <zoe@example.org> since 2015
""",
    "servers.txt": """\
NAME     STATUS   CPU  REGION
web-1    running  12   north
web-2    stopped  0    north
db-1     running  71   south
cache-1  running  33   south
queue-1  failed   0    north
""",
    "notes.txt": """\
Shopping list

TODO: buy paint
call Anna about the roof
todo: fix the gate

The gate is old. The roof is older.
TODO: order sand
""",
    "README.md": """\
# Lantern

A small shop.

## Install

Run the setup.

## Use

Open the page.

## Licence

MIT
""",
    ".env": "API_URL=https://api.example.org\nTOKEN=abc123\nRETRIES=4\n",
    ".gitignore": "target\n*.tmp\n",
    "logs/app.log": """\
2024-05-01T08:00:00Z INFO server started
2024-05-01T08:00:05Z WARN cache is cold
2024-05-01T08:01:10Z ERROR cannot open shop.db
2024-05-01T08:01:11Z INFO retrying
2024-05-01T08:02:00Z ERROR timeout after 30 s
2024-05-01T09:15:42Z INFO request served
2024-05-01T09:20:00Z INFO request served
2024-05-02T10:00:00Z WARN disk almost full
2024-05-02T10:30:00Z ERROR disk full
2024-05-02T10:31:00Z INFO stopped
""",
    "logs/access.log": """\
10.0.0.5 GET /index.html 200 1532
10.0.0.7 GET /missing 404 210
10.0.0.5 POST /cart 201 88
10.0.0.9 GET /index.html 200 1532
10.0.0.5 GET /logo.png 200 20480
10.0.0.7 GET /admin 403 150
10.0.0.9 GET /nothing 404 210
10.0.0.5 GET /cart 200 640
""",
    "logs/old/app.1.log": "2024-04-01T08:00:00Z INFO server started\n2024-04-01T08:30:00Z ERROR lost\n",
    "logs/old/app.2.log": "2024-03-01T08:00:00Z INFO server started\n",
    "logs/empty.log": "",
    "src/main.rs": 'mod util;\n\nfn main() {\n    // TODO: read arguments\n    println!("{}", util::hello());\n}\n',
    "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\npub fn twice(a: i32) -> i32 {\n    add(a, a)\n}\n",
    "src/util/mod.rs": "pub mod dates;\n\npub fn hello() -> &'static str {\n    \"hello\"\n}\n",
    "src/util/dates.rs": "// TODO: leap years\npub fn days(years: u32) -> u32 {\n    years * 365\n}\n",
    "src/style.css": "body { margin: 0 }\n",
    "docs/guide.md": "# Guide\n\nStart the server, then open the page.\n",
    "docs/faq.md": "# Questions\n\nIs it free? Yes.\n",
    "docs/draft.txt": "not ready\n",
    "docs/api/index.html": "<html><body>API</body></html>\n",
    "inbox/invoice.txt": "please pay\n",
    "inbox/party.txt": "saturday at eight\n",
    "inbox/report.txt": "all is well\n",
    "inbox/letter.txt": "dear all\n",
    "inbox/archive.txt": "old things\n",
    "tmp/a.tmp": "a\n",
    "tmp/b.tmp": "b\n",
    "tmp/keep.txt": "keep me\n",
    "tmp/cache/c.tmp": "c\n",
    "backup/config.toml.bak": 'title = "lantern old"\n',
    "backup/notes.txt.bak": "Shopping list\n",
}

# Files with this number of zero bytes.
SIZES = {
    "photos/2023/beach.jpg": 1_200_000,
    "photos/2023/forest.jpg": 850_000,
    "photos/2023/icon.png": 4_000,
    "photos/2024/city.jpg": 3_400_000,
    "photos/2024/dog.jpg": 2_050_000,
    "photos/2024/map.png": 640_000,
    "photos/holiday trip.jpg": 500_000,
    "photos/cover.png": 90_000,
    "downloads/setup.iso": 9_000_000,
    "downloads/book.pdf": 2_500_000,
    "downloads/song.mp3": 4_100_000,
    "downloads/clip.mp4": 7_300_000,
    "downloads/manual.pdf": 310_000,
    "downloads/tiny.zip": 1_024,
}

EMPTY_FOLDERS = ["empty", "docs/old"]

# Programs on the PATH, in `bin` beside the directory.
PROGRAMS = {
    "stock": """#!/bin/sh
echo '[{"part":"bolt","left":120},{"part":"nut","left":8},{"part":"gear","left":31}]'
""",
    "jobs-list": """#!/bin/sh
printf 'ID  STATE   USER\\n7   done    kim\\n9   queued  lee\\n12  queued  kim\\n15  failed  lee\\n'
""",
    "flaky": """#!/bin/sh
echo partial result
echo connection lost >&2
exit 3
""",
    "rates": """#!/bin/sh
printf 'code,rate\\nUSD,1.08\\nGBP,0.85\\nNOK,11.60\\nJPY,169.2\\n'
""",
}

# Dates other than USUAL, UTC.
USUAL = "2024-06-01 12:00"
DATES = {
    "notes.txt": "2023-11-05 09:00",
    "README.md": "2024-02-10 10:00",
    "words.txt": "2022-08-15 08:00",
    "numbers.txt": "2024-07-20 18:30",
    "catalog.xml": "2023-12-31 23:00",
    "photos/2023/beach.jpg": "2023-07-02 15:00",
    "photos/2023/forest.jpg": "2023-09-12 11:00",
    "photos/2024/city.jpg": "2024-03-03 16:00",
    "photos/2024/dog.jpg": "2024-05-05 10:00",
    "downloads/setup.iso": "2024-01-15 12:00",
    "downloads/book.pdf": "2023-02-01 12:00",
    "downloads/song.mp3": "2024-04-04 04:00",
    "downloads/clip.mp4": "2024-05-30 20:00",
    "downloads/manual.pdf": "2022-12-24 12:00",
}

# Age in hours.
AGES = {
    "inbox/invoice.txt": 1,
    "inbox/party.txt": 30,
    "inbox/report.txt": 24 * 5,
    "inbox/letter.txt": 24 * 40,
    "inbox/archive.txt": 24 * 400,
}

SHOP = """
create table customers (id integer primary key, name text, country text);
insert into customers values (1, 'Marta', 'Portugal'), (2, 'Nils', 'Norway'), (3, 'Otto', 'Germany'), (4, 'Pia', 'Norway');
create table invoices (id integer primary key, customer_id integer, amount real, paid integer);
insert into invoices values (1, 1, 250.5, 1), (2, 2, 34.9, 0), (3, 1, 449.0, 1), (4, 3, 183.0, 0), (5, 4, 99.0, 1);
"""


def make(root: Path) -> None:
    """Makes the directory `root/work` and the programs in `root/bin`; `root` must be empty."""
    work = root / "work"
    for path, text in TEXTS.items():
        written(work / path).write_text(text)
    for path, size in SIZES.items():
        with written(work / path).open("wb") as file:
            file.truncate(size)
    for path in EMPTY_FOLDERS:
        (work / path).mkdir(parents=True)
    with sqlite3.connect(work / "shop.db") as shop:
        shop.executescript(SHOP)
    shop.close()
    for name, text in PROGRAMS.items():
        written(root / "bin" / name).write_text(text)
        (root / "bin" / name).chmod(0o755)
    # Sets the usual date on everything, deepest first, so folders keep theirs.
    for path in sorted(work.rglob("*"), reverse=True):
        dated(path, seconds(USUAL))
    for path, when in DATES.items():
        dated(work / path, seconds(when))
    for path, hours in AGES.items():
        dated(work / path, time.time() - hours * 3600)


def written(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def seconds(when: str) -> float:
    return datetime.strptime(when, "%Y-%m-%d %H:%M").replace(tzinfo=timezone.utc).timestamp()


def dated(path: Path, when: float) -> None:
    os.utime(path, (when, when))
