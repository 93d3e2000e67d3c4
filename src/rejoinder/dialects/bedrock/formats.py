"""What Bedrock calls the formats of media, and the media types that they are."""

from __future__ import annotations

_OFFICE = "application/vnd.openxmlformats-officedocument."
# For each kind of media its formats (botocore 1.44.3, read 2026-11-18), each with the media type that is meant.
FORMATS: dict[str, dict[str, str]] = {
    "image": {name: f"image/{name}" for name in ("png", "jpeg", "gif", "webp")},
    "document": {
        "pdf": "application/pdf",
        "csv": "text/csv",
        "doc": "application/msword",
        "docx": f"{_OFFICE}wordprocessingml.document",
        "xls": "application/vnd.ms-excel",
        "xlsx": f"{_OFFICE}spreadsheetml.sheet",
        "html": "text/html",
        "txt": "text/plain",
        "md": "text/markdown",
    },
    "video": {
        "mkv": "video/x-matroska",
        "mov": "video/quicktime",
        "mp4": "video/mp4",
        "webm": "video/webm",
        "flv": "video/x-flv",
        "mpeg": "video/mpeg",
        "mpg": "video/mpg",
        "wmv": "video/x-ms-wmv",
        "three_gp": "video/3gpp",
    },
    "audio": {
        "mp3": "audio/mpeg",
        "mpeg": "audio/x-mpeg",
        "mpga": "audio/mpga",
        "opus": "audio/opus",
        "wav": "audio/wav",
        "aac": "audio/aac",
        "x-aac": "audio/x-aac",
        "flac": "audio/flac",
        "mp4": "audio/mp4",
        "m4a": "audio/x-m4a",
        "ogg": "audio/ogg",
        "mkv": "audio/x-matroska",
        "mka": "audio/matroska",
        "pcm": "audio/pcm",
        "webm": "audio/webm",
    },
}
# Other words for some of these types.
_ALSO = {
    "image/jpg": "image/jpeg",
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/m4a": "audio/x-m4a",
    "text/x-markdown": "text/markdown",
    "application/csv": "text/csv",
}
_NAMES = {kind: {media_type: name for name, media_type in names.items()} for kind, names in FORMATS.items()}
# The media types of each kind that there is a format for.
KNOWN: dict[str, tuple[str, ...]] = {kind: tuple(names.values()) for kind, names in FORMATS.items()}


def media_type_of(kind: str, form: object) -> str | None:
    """The media type of a format; one that is not known keeps its name in it."""
    if not isinstance(form, str):
        return None
    return FORMATS[kind].get(form) or (form if "/" in form else f"{kind}/{form}")


def format_of(kind: str, media_type: str | None) -> str | None:
    """The format of a media type; the end of its name where there is no format for it."""
    if media_type is None:
        return None
    plain = media_type.partition(";")[0].strip().lower()
    plain = _ALSO.get(plain, plain)
    return _NAMES.get(kind, {}).get(plain) or plain.partition("/")[2] or plain
