"""The members of an archive: two archives with the same members are equal, even if their bytes differ."""

import bz2
import gzip
import hashlib
import lzma
import tarfile
import zipfile
from pathlib import Path

# Most bytes of an unpacked member that are read.
MEMBER_LIMIT = 32 << 20

SINGLE = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
PACKED = (".tar", ".tgz", ".tbz2", ".txz", ".zip", *SINGLE)


def members(path: Path) -> dict | None:
    """Returns a hash for each member; an empty name for a file that is only compressed; None if it is no archive."""
    if path.suffix.lower() not in PACKED:
        return None
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                return {plain(i.filename): digest(packed.open(i)) for i in packed.infolist() if not i.is_dir()}
        if tarfile.is_tarfile(path):
            with tarfile.open(path) as packed:
                return {plain(m.name): tar_member(packed, m) for m in packed.getmembers() if not m.isdir()} | form(path)
        with SINGLE[path.suffix.lower()](path) as packed:
            return {"": digest(packed)}
    except (OSError, KeyError, EOFError, ValueError, tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError):
        return None


def form(path: Path) -> dict:
    """Returns how a tar archive is compressed, because `tar cf x.tar.gz` makes one that is not."""
    start = path.read_bytes()[:6]
    known = {b"\x1f\x8b": "gzip", b"BZ": "bzip2", b"\xfd7": "xz"}
    return {"/compressed": known.get(start[:2], "no")}


def tar_member(packed: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    file = packed.extractfile(member) if member.isfile() else None
    return digest(file) if file else f"to {member.linkname}"


def plain(name: str) -> str:
    return name.removeprefix("./").rstrip("/")


def digest(file) -> str:
    return hashlib.sha256(file.read(MEMBER_LIMIT)).hexdigest()[:16]
