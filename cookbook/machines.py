"""The machines that the lines of the cookbook are for, as `askline check` sees them: this one, one with BusyBox's tools only, and a Mac."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Keys of a row with a line.
SHELLS = ("bash", "fish", "nu")
USERLANDS = ("busybox", "macos")
# Directories below `pairs`, by the key of their lines; those of the others are for bash.
PAIRS = {"fish": "fish", "macos": "macos", "nushell": "nu"}

# Findings that depend on how a program was built: Alpine's BusyBox has the option, Debian's has not.
BUILDS = {"busybox": ("`netstat` has no option `-p`",)}

# Programs of macOS, and of Homebrew, that askline's table lacks. A line for macOS uses these and the table's only.
MACOS_OTHERS = """
afconvert afinfo afplay awk basename bc brew cancel codesign crontab csrutil defaults diff dig diskutil ditto dmesg dscacheutil dscl
dseditgroup fdesetup file git hdiutil iconv ifconfig installer ioreg ipconfig kextstat last launchctl lipo log lp lpoptions lpq lpstat
mdfind mdls mdutil mount_smbfs nettop networkQuality networksetup nginx nice nohup nvram open openssl osascript otool pbcopy pbpaste perl
pkgutil plutil pmset powermetrics purge pwpolicy realpath rsync say scp screencapture security shasum sips sleep softwareupdate sort spctl
ssh-add sudo sw_vers sysadminctl system_profiler systemsetup tar textutil tmutil unzip uuidgen vm_stat xcode-select xcrun zip
""".split()

# Other shells that must be able to read a line: each prints 1 or 0 for every line of its input, and runs none.
ZSH = ["zsh", "-f", "-c", "while IFS= read -r line; do functions[it]=$line; print $+functions[it]; unfunction it; done 2>/dev/null"]
ASH = ["busybox", "ash", "-c", 'while IFS= read -r line; do busybox ash -n -c "$line" 2>/dev/null; echo $((! $?)); done']


@dataclass
class Machine:
    """A shell, and words before `askline check` and variables that lead it to the machine."""

    shell: str
    before: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    # `ZSH` or `ASH`.
    reader: list[str] = field(default_factory=list)


def machines(scratch: Path) -> dict[str, Machine]:
    """Returns the machine of each key of a row; without BusyBox there is none for its lines."""
    path = f"{os.environ['PATH']}:{ROOT / 'target/tools/bin'}"
    found = {shell: Machine(shell, env={"PATH": path}) for shell in SHELLS}
    (scratch / "macos.toml").write_text(macos_recording())
    found["macos"] = Machine("zsh", env={"ASKLINE_HOST": f"recorded:{scratch / 'macos.toml'}"})
    if shutil.which("zsh"):
        found["bash"].reader = found["macos"].reader = ZSH
    if shutil.which("busybox") and shutil.which("bwrap"):
        # Only programs in the system's directories are asked about an option.
        box = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(applets(scratch)), "/usr/local/bin", "--setenv", "PATH", "/usr/local/bin"]
        found["busybox"] = Machine("bash", before=box, reader=ASH)
    return found


def applets(scratch: Path) -> Path:
    """Makes a directory of links to BusyBox, by the names of its applets."""
    folder = scratch / "applets"
    folder.mkdir()
    for name in subprocess.run(["busybox", "--list"], capture_output=True, text=True, check=True).stdout.split():
        (folder / name).symlink_to(shutil.which("busybox"))
    return folder


def macos_recording() -> str:
    """Returns a Mac for `ASKLINE_HOST`. Each program of askline's table has a manual page with its options."""
    table = tomllib.loads((ROOT / "crates/manual/src/macos.toml").read_text())
    programs = [f"/usr/bin/{name}" for name in [*table, *MACOS_OTHERS]]
    text = 'current_dir = "/Users/kim"\n[system]\nos = "macos"\nrelease = "24.0.0"\nmachine = "arm64"\n[env]\nPATH = "/usr/bin"\n[files]\n'
    for name, card in table.items():
        text += f"{json.dumps(f'/usr/share/man/man1/{name}.1')} = {json.dumps(macos_page(name, [*card['options'], *card.get('mentioned', '').split()]))}\n"
    return f"programs = {json.dumps(programs)}\n{text}"


def macos_page(name: str, options: list[str]) -> str:
    """Returns a page in mdoc for options in the table's form, such as `-F --field <type>`."""
    values = {"<": " Ar value", "[": " Ns Op Ar value", "=": " Ns = Ns Ar value"}
    page = f".Dd today\n.Dt {name} 1\n.Os\n.Sh NAME\n.Nm {name}\n.Nd tool\n.Sh DESCRIPTION\n.Bl -tag\n"
    for option in options:
        names = [f"Fl {word[1:]}" if word[0] == "-" else f"Cm {word}" for word in option.split() if word[0] in "-+"]
        value = next((values[word[0]] for word in option.split() if word[0] in values), "")
        page += f".It {' , '.join(names)}{value}\nIts effect.\n"
    return page + ".El\n"


def unreadable(machine: Machine, lines: str, n: int) -> list[int]:
    """Returns the indices of those of the `n` lines that the machine's reader cannot parse."""
    answers = subprocess.run(machine.reader, input=lines, text=True, capture_output=True).stdout.split()
    if len(answers) != n:
        sys.exit(f"error: {machine.reader[0]} read {len(answers)} of {n} lines")
    return [index for index, answer in enumerate(answers) if answer == "0"]
