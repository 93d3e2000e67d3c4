"""OpenAI Chat Completions: calls in `tool_calls`, results in messages of role `tool`."""

from __future__ import annotations

from rejoinder.dialects import blocks
from rejoinder.dialects.dialect import carried_alike, listed_dialect
from rejoinder.dialects.openai_chat.carries import CARRIES, plain
from rejoinder.dialects.openai_chat.quick import skim
from rejoinder.dialects.openai_chat.settings import SETTINGS
from rejoinder.dialects.shape import Shape, listing
from rejoinder.values.parts import Media, Refusal, Text

SHAPE = Shape(
    name="openai-chat",
    layout="run",
    calls="tool_calls",
    call_id="tool_call_id",
    refusal="refusal",
    beside=("audio", "function_call"),
    null_content=True,
    asides=("thinking", "reasoning_content", "reasoning"),
    result_name="name",
    read={
        "text": blocks.read_text,
        "refusal": blocks.read_refusal,
        "image_url": blocks.read_image_url,
        "input_audio": blocks.read_input_audio,
        "file": blocks.read_file,
    },
    write={Text: blocks.write_text, Refusal: blocks.write_refusal, Media: blocks.write_media},
)
# What only some dialects write (see `detect`).
SIGNS = frozenset(
    (
        "holds:messages key:tool_calls key:tool_call_id key:function_call key:refusal content:string "
        "content:array block:text/text block:image_url block:input_audio block:file tool:function"
    ).split()
)
DIALECT = listed_dialect(
    listing(SHAPE),
    says="OpenAI Chat Completions and the many servers that speak it",
    layout=SHAPE.layout,
    signs=SIGNS,
    family="chat",
    plain=plain,
    carries=carried_alike(CARRIES),
    settings=SETTINGS,
    skim=skim,
)
