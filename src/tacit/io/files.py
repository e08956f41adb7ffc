"""Files read with care and written whole or not at all; `.gz` is transparent."""

from __future__ import annotations

import gzip
import os
import tempfile
import zlib
from pathlib import Path
from typing import BinaryIO

from tacit.core.errors import FormatError

LARGEST = 2_000_000_000
"""Bytes, after unpacking, beyond which a network file is refused."""


def suffix(path: str | Path) -> str:
    """What tells the format: the last suffix in lower case, `.gz` aside."""
    name = Path(path).name.lower()
    name = name.removesuffix(".gz")
    return Path(name).suffix


def read_bytes(path: str | Path, largest: int = LARGEST) -> bytes:
    """The bytes of a file, unpacked if it is gzip, whatever its name."""
    try:
        with Path(path).open("rb") as raw:
            packed = raw.peek(2)[:2] == b"\x1f\x8b"
            if not packed:
                content = _read_up_to(raw, largest + 1)
            else:
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    content = _read_up_to(unpacked, largest + 1)
    except FileNotFoundError:
        raise FormatError(f"there is no file {str(path)!r}") from None
    except IsADirectoryError:
        raise FormatError(f"{str(path)!r} is a folder, not a file") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise FormatError(f"{path}: the compressed file is damaged or cut short") from None
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read: {problem.strerror or problem}") from None
    except ValueError:
        raise FormatError(f"{str(path)!r} is no name of a file") from None
    if len(content) > largest:
        raise FormatError(f"{path}: more than {largest:,} bytes when unpacked; this is refused")
    return content


def _read_up_to(stream: BinaryIO | gzip.GzipFile, most: int) -> bytes:
    """At most so many bytes, piece by piece: asked for all at once, they would be set aside."""
    content = bytearray()
    while len(content) < most and (piece := stream.read(min(1 << 20, most - len(content)))):
        content += piece
    return bytes(content)


def read_text(path: str | Path, largest: int = LARGEST) -> str:
    """The text of a UTF-8 file (Latin-1 where it is none), with plain line ends, no byte mark."""
    content = read_bytes(path, largest)
    if b"\x00" in content:
        raise FormatError(f"{path}: this is no text file")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Replace `path` by this content once all of it is on disk; packed if the name ends in .gz."""
    target = Path(path)
    data = content.encode() if isinstance(content, str) else content
    if target.name.lower().endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    draft: str | None = None
    try:
        handle, draft = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        Path(draft).chmod(_mode(target))
        Path(draft).replace(target)
    except OSError as problem:
        raise FormatError(f"{path}: cannot be written: {problem.strerror}") from None
    finally:
        if draft is not None:
            Path(draft).unlink(missing_ok=True)


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, else what the process gives new files."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
