"""The sandbox: runs one line in a fresh copy of a place and returns what it printed and the tree that it left."""

import hashlib
import os
import resource
import shutil
import stat
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import archive
import fixture

# Limits of an answer: CPU time and clock time in seconds, bytes of memory, bytes of a file, bytes read of its output.
CPU_LIMIT_S = 10
WALL_LIMIT_S = 10
MEMORY_LIMIT = 2 << 30
FILE_LIMIT = 32 << 20
OUTPUT_LIMIT = 1 << 20
ERROR_LIMIT = 400
# A file younger than this many seconds was changed by the answer.
RECENT_S = 300

HOME = "/home/kim"
ENVIRONMENT = {
    "HOME": HOME,
    "USER": "kim",
    "LOGNAME": "kim",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "TERM": "dumb",
    "SHELL": "/bin/bash",
    "PAGER": "cat",
    "EDITOR": "true",
    "GIT_AUTHOR_NAME": "Kim",
    "GIT_AUTHOR_EMAIL": "kim@example.com",
    "GIT_COMMITTER_NAME": "Kim",
    "GIT_COMMITTER_EMAIL": "kim@example.com",
}
# The words that run a file in a shell, and that only read it. What fish keeps for itself is no effect of a line.
SHELLS = {
    "bash": (["/bin/bash"], ["bash", "-n"]),
    "zsh": (["/usr/bin/zsh", "-f"], ["zsh", "-f", "-n"]),
    "fish": (["/usr/bin/env", "XDG_CONFIG_HOME=/tmp", "XDG_DATA_HOME=/tmp", "/usr/bin/fish", "--no-config"], ["fish", "--no-execute"]),
}
# What a person sees of a repository. Trees instead of commits, because commits contain the time.
GIT_STATE = """
for r in $(git for-each-ref --format='%(refname)'); do echo "ref $r $(git log -1 --format='%T %s' $r)"; done
git symbolic-ref HEAD; git log --format='%T %s'; git status --porcelain=v1; git stash list --format=%gd; git diff; git diff --cached
git remote -v; git config --local --list
"""


@dataclass
class Result:
    """What a line did: it ended in time, its output, the beginning of its errors, the tree and the state of the repository."""

    late: bool
    stdout: str
    stderr: str
    tree: dict
    repository: str = ""


class Sandbox:
    """The places, made once, and the copies in which lines run."""

    def __init__(self, scratch: Path):
        self.scratch = scratch
        self.places = scratch / "places"
        fixture.make(self.places)
        (scratch / "etc/alternatives").mkdir(parents=True)
        (scratch / "etc/passwd").write_text(f"root:x:0:0:root:/root:/bin/bash\nkim:x:1000:1000:Kim:{HOME}:/bin/bash\n")
        (scratch / "etc/group").write_text("root:x:0:\nstaff:x:1000:\n")
        self.before = {}
        for place in fixture.PLACES:
            self.before[place] = self.run(place, "echo ready", times=True)
            assert self.before[place].stdout == "ready\n", f"the sandbox does not start: {self.before[place].stderr}"

    def run(self, place: str, line: str, times: bool = False, shell: str = "bash") -> Result:
        """Runs a line in a fresh copy of a place. With `times` the tree includes modification times."""
        with tempfile.TemporaryDirectory(dir=self.scratch, ignore_cleanup_errors=True) as folder:
            home, out = Path(folder, "home"), Path(folder, "out")
            home.mkdir()
            out.mkdir()
            subprocess.run(["cp", "--archive", "--sparse=never", str(self.places / place), str(home / place)], check=True)
            (out / "line").write_text(line + "\n")
            fixture.date_files(home / place, place)
            late = self.bounded(home, out, place, [*SHELLS[shell][0], "/out/line"])
            done = Result(late, read(out / "stdout", OUTPUT_LIMIT), read(out / "stderr", ERROR_LIMIT), {})
            if place == "repo":
                self.bounded(home, out, place, ["/bin/bash", "-c", GIT_STATE])
                done.repository = read(out / "stdout", OUTPUT_LIMIT)
            done.tree = tree(home, times)
            return done

    def words(self, home: Path, place: str) -> list[str]:
        """Returns the sandbox command: no network, a read-only system, only the copy is writable."""
        words = ["bwrap", "--unshare-all", "--uid", "1000", "--gid", "1000", "--hostname", "apollo"]
        words += ["--die-with-parent", "--new-session", "--clearenv"]
        words += ["--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/bin", "/bin"]
        if os.path.exists("/lib64"):
            words += ["--symlink", "usr/lib64", "/lib64"]
        words += ["--ro-bind", str(self.scratch / "etc"), "/etc", "--ro-bind-try", "/etc/alternatives", "/etc/alternatives"]
        words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", str(home), HOME]
        for name, value in ENVIRONMENT.items():
            words += ["--setenv", name, value]
        return words + ["--chdir", f"{HOME}/{place}"]

    def bounded(self, home: Path, out: Path, place: str, words: list[str]) -> bool:
        """Runs a program within the limits, with `out` read-only at /out; returns true if it ran out of time."""

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S))
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.umask(0o022)

        with open(out / "stdout", "wb") as stdout, open(out / "stderr", "wb") as stderr:
            child = subprocess.Popen(
                self.words(home, place)[:-2] + ["--ro-bind", str(out), "/out", "--chdir", f"{HOME}/{place}"] + words,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                preexec_fn=limits,
            )
            try:
                child.wait(WALL_LIMIT_S)
                return False
            except subprocess.TimeoutExpired:
                # The end of bwrap ends its process namespace, and so everything in it.
                child.kill()
                child.wait()
                return True


def parses(line: str, shell: str = "bash") -> bool:
    """Returns true if the shell can read the line. It executes nothing."""
    if not line.strip():
        return False
    return subprocess.run(SHELLS[shell][1], input=line + "\n", text=True, capture_output=True).returncode == 0


def read(path: Path, limit: int) -> str:
    with path.open("rb") as file:
        return file.read(limit).decode(errors="replace")


def tree(home: Path, times: bool) -> dict:
    """Returns the tree below a folder: for each path its kind, permissions and content. A repository is one entry."""
    found, folders = {}, [home]
    while folders:
        folder = folders.pop()
        make_readable(folder)
        for entry in os.scandir(folder):
            path, status = Path(entry.path), entry.stat(follow_symlinks=False)
            name, mode = str(path.relative_to(home)), stat.S_IMODE(status.st_mode)
            if entry.is_symlink():
                found[name] = {"kind": "link", "content": os.readlink(path)}
                continue
            if entry.is_dir():
                found[name] = {"kind": "folder", "mode": mode}
                if entry.name != ".git":
                    folders.append(path)
            elif entry.is_file():
                found[name] = {"kind": "file", "mode": mode, "content": content(path)}
            if times and entry.is_file():
                found[name]["time"] = day(status.st_mtime)
    return found


def day(when: float) -> str | int:
    """Returns "now" for the time of this run, otherwise the number of the day."""
    return "now" if abs(time.time() - when) < RECENT_S else int(when // fixture.DAY)


def make_readable(folder: Path) -> None:
    """Lets this program into a folder that an answer closed; the recorded permissions are those from before."""
    if os.stat(folder).st_mode & 0o700 != 0o700:
        os.chmod(folder, 0o700)


def content(path: Path):
    """Returns what a file contains: the members of an archive, or a hash of the text."""
    if os.stat(path).st_mode & 0o400 == 0:
        os.chmod(path, 0o600)
    members = archive.members(path)
    return members if members is not None else digest(path.read_bytes())


def digest(data: bytes) -> str:
    return f"{len(data)}:{hashlib.sha256(data).hexdigest()[:16]}"


def needed(shell: str = "bash") -> list[str]:
    """Returns the programs that the bench needs and this machine lacks."""
    return [name for name in ("bwrap", "bash", shell, "git", "jq", "zip", "unzip", "bc", "file", "xz") if shutil.which(name) is None]
