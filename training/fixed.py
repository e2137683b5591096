"""The fixed part of the product's prompts, as `fixed` in `crates/model/src/prompt.rs` makes it."""

import tomllib
from pathlib import Path

PROMPT = Path(__file__).resolve().parent.parent / "crates/model/src/prompt"
FILES = {"bash": "bash", "zsh": "zsh", "fish": "fish", "Nushell": "nu"}


def fixed(language: str, system: str) -> str:
    """Returns the line about the shell's language and the system, and the solved requests of the shell."""
    own = tomllib.loads((PROMPT / f"solved-{FILES[language]}.toml").read_text())
    rows = own.get("solved", [])
    if language in ("zsh", "fish"):
        instead = {row["request"]: row["command"] for row in own.get("instead", [])}
        base = tomllib.loads((PROMPT / "solved-bash.toml").read_text())["solved"]
        rows = [row | {"command": instead.get(row["request"], row["command"])} for row in base] + rows
    head = f"# One-line {language} commands for {system}.\n\n"
    return head + "".join(f"# {row['request']}\n{row['command']}\n\n" for row in rows)
