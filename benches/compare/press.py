"""Presses the key: runs `askline line` in its own terminal, as the shell scripts do, and reports the time of each
key press. `run` starts it as the leader of a session.

The job is JSON on stdin. Each result is one JSON row on stdout, so an interrupted run keeps its results:

    {"kind": "repair", "ms", "first", "line", "became"}      a line that needs no model
    {"kind": "cycle", "ms", "line", "became"}                the key again: the next suggestion
    {"kind": "cancel", "ms", "key", "after_ms"}              from Esc or Ctrl-C to the end of the process
    {"kind": "note", "text"}                                 a failed measurement and its reason"""

import fcntl
import json
import os
import pty
import random
import signal
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

# Typing errors and wrong options that the checks repair without a model.
SLIPS = [
    "git comit -m 'first words'",
    "git sttaus -s",
    "git diff --stta",
    "ls --colour=auto -l",
    "ls --revrese",
    "find . -nmae '*.txt'",
    "ps --forrest",
    "df --human-readble",
    "sort --numeric-srot notes.txt",
    "tar --lst -f old.tar",
    "date --utcc",
    "du --summarze .",
]
# Presses per line, after a first one that looks the program up.
PASSES = 10
# Repeated presses per request, in turn.
CYCLES = 12
# Time limit in seconds for finding other suggestions, and interval between two checks.
AHEAD_S = 40
LOOK_S = 0.05
# Time limit in seconds for one press.
PRESS_S = 120
# A cancelling key comes at a random moment of the press: not before the model works, and not when most presses have
# answered already (given as a share of the usual time).
WORKING_S = 0.1
USUAL_SHARE = 0.9
# Permitted presses that answer before the key came, per wanted press.
TRIES = 5
KEYS = {"Esc": b"\x1b", "Ctrl-C": b"\x03"}
# Most bytes of a press record.
PRESSES_LIMIT = 1 << 20


def main() -> int:
    job = json.load(sys.stdin)
    # If the helper has just ended, the key arrives as a signal for this process group.
    signal.signal(signal.SIGINT, lambda *_: None)
    key = Key(job["askline"], job["environment"])
    repairs(key, job)
    cycles(key, job)
    cancels(key, job)
    return 0


class Key:
    """The askline key in a pseudo-terminal."""

    def __init__(self, askline: str, environment: dict):
        self.askline, self.environment = askline, environment
        self.master, self.terminal = pty.openpty()
        fcntl.ioctl(self.terminal, termios.TIOCSCTTY, 0)
        threading.Thread(target=self.drain, daemon=True).start()

    def drain(self) -> None:
        """Reads and discards the output, as a terminal would."""
        while os.read(self.master, 1 << 16):
            pass

    def start(self, line: str, extra: dict) -> subprocess.Popen:
        words = [self.askline, "line", "--shell", "bash", "--draw", "here", "--cursor", str(len(line)), "--status", "0"]
        child = subprocess.Popen(
            words,
            env=self.environment | extra,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        child.stdin.write(f"{line}\0BASH_VERSION\0005.2.15(1)-release\0".encode())
        child.stdin.close()
        child.stdin = None
        return child

    def press(self, line: str, extra: dict = {}) -> tuple[str | None, float]:
        """Returns the new line (None without one) and the milliseconds from the key press to the end of the process."""
        began = time.monotonic()
        child = self.start(line, extra)
        out, status = ended(child)
        took = (time.monotonic() - began) * 1000
        became = out.split("\x1f")[0]
        return (became if status == 0 and became else None), took

    def cancel(self, line: str, key: bytes, after: float) -> tuple[int, float]:
        """Sends `key` after `after` seconds; returns the exit status and the milliseconds from then to the end."""
        child = self.start(line, {})
        pressed = None
        try:
            child.wait(after)
        except subprocess.TimeoutExpired:
            pressed = time.monotonic()
            os.write(self.master, key)
        _, status = ended(child)
        took = (time.monotonic() - pressed) * 1000 if pressed else 0
        return (status if pressed else -1), took


def ended(child: subprocess.Popen) -> tuple[str, int]:
    try:
        out, _ = child.communicate(timeout=PRESS_S)
    except subprocess.TimeoutExpired:
        child.kill()
        out, _ = child.communicate()
    return out.decode(errors="replace"), child.returncode


def repairs(key: Key, job: dict) -> None:
    # A separate cache: the first press of each line looks its program up, later presses use the cache.
    extra = {"XDG_CACHE_HOME": job["fresh_cache"]}
    before = answered(job)
    for turn in range(1 + PASSES):
        for line in SLIPS:
            became, took = key.press(line, extra)
            if became in (None, line):
                say(kind="note", text=f"not repaired: {line}")
            else:
                say(kind="repair", ms=took, first=turn == 0, line=line, became=became)
    if answered(job) != before:
        say(kind="note", text="a model was asked about a line that needs none")


def cycles(key: Key, job: dict) -> None:
    for request in job["cycle_requests"]:
        line, _ = key.press(request)
        if line is None or others(job) < 2:
            say(kind="note", text=f"no other suggestion: {request}")
            continue
        for _ in range(CYCLES):
            became, took = key.press(line)
            if became in (None, line):
                say(kind="note", text=f"the key did not go on from {line}")
                break
            say(kind="cycle", ms=took, line=line, became=became)
            line = became


def others(job: dict) -> int:
    """Returns the number of suggestions of the last key press, once all are found."""
    until = time.monotonic() + AHEAD_S
    while time.monotonic() < until:
        files = list(Path(job["runtime"], "askline", "presses").glob("[0-9a-f]*"))
        if files:
            newest = max(files, key=lambda file: file.stat().st_mtime_ns)
            with newest.open() as file:
                _, _, body = file.read(PRESSES_LIMIT).partition("\n")
            press = json.loads(body)
            if press["complete"]:
                return len(press["offers"])
        time.sleep(LOOK_S)
    return 0


def cancels(key: Key, job: dict) -> None:
    wanted, usual = job["cancels"], job["usual_ms"] / 1000
    chance = random.Random(job["seed"])
    done = 0
    for tried in range(wanted * TRIES):
        if done == wanted:
            return
        name = list(KEYS)[done % len(KEYS)]
        request = job["requests"][tried % len(job["requests"])]
        after = chance.uniform(WORKING_S, max(WORKING_S, usual * USUAL_SHARE))
        status, took = key.cancel(request, KEYS[name], after)
        if status == 130:
            say(kind="cancel", ms=took, key=name, after_ms=after * 1000)
            done += 1
    say(kind="note", text=f"only {done} of {wanted} presses could be cancelled before they were answered")


def answered(job: dict) -> int | None:
    """Returns the number of requests that the resident process has answered."""
    words = [job["askline"], "daemon", "status", "--json"]
    status = subprocess.run(words, env=job["environment"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return json.loads(status.stdout or "{}").get("answered")


def say(**finding) -> None:
    print(json.dumps(finding, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    sys.exit(main())
