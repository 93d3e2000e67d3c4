"""A session with whatever words in each of its fields, and words that would run or fetch where a page lets them."""

from __future__ import annotations

from rejoinder.render.story import Fork, Note, Story

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
FIELDS = (
    *("text", "thinking", "tool_name", "tool_use_id", "tool_input", "tool_result", "title", "uuid", "cwd"),
    *("model", "timestamp", "media_type", "image_data", "role"),
)
# What runs or fetches where a page lets it: each sets a flag on the window, or asks the listener at PORT.
PAYLOADS = [
    "<script>window.PWN=1</script>",
    '"><script>window.PWN=1</script>',
    "'><script>window.PWN=1</script>",
    "</title><script>window.PWN=1</script>",
    "</script><script>window.PWN=1</script>",
    "--><script>window.PWN=1</script>",
    "]]><script>window.PWN=1</script>",
    "</style><script>window.PWN=1</script>",
    "</pre></details><script>window.PWN=1</script>",
    "<img src=x onerror=window.PWN=1>",
    '" onerror="window.PWN=1" x="',
    '" autofocus onfocus="window.PWN=1" tabindex="0',
    "<svg onload=window.PWN=1></svg>",
    "<details open ontoggle=window.PWN=1>",
    "<iframe srcdoc='<script>parent.PWN=1</script>'></iframe>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=window.PWN=1&gt;'>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:PORT/leak'>",
    "<base href=http://127.0.0.1:PORT/>",
    "<link rel=stylesheet href=http://127.0.0.1:PORT/leak>",
    "<link rel=prefetch href=http://127.0.0.1:PORT/leak>",
    "<img src=http://127.0.0.1:PORT/leak>",
    "![x](http://127.0.0.1:PORT/leak)",
    "![x][1]\n\n[1]: http://127.0.0.1:PORT/leak",
    "<style>@import 'http://127.0.0.1:PORT/leak'</style>",
    '<p style="background:url(http://127.0.0.1:PORT/leak)">x</p>',
    "<object data=http://127.0.0.1:PORT/leak></object>",
    "<embed src=http://127.0.0.1:PORT/leak>",
    "<video poster=http://127.0.0.1:PORT/leak src=http://127.0.0.1:PORT/leak></video>",
    "<form id=document><input name=cookie>",
    "[x](javascript:window.PWN=1)",
    "[x](&#106;avascript:window.PWN=1)",
    "[x](data:text/html;base64,PHNjcmlwdD53aW5kb3cuUFdOPTE8L3NjcmlwdD4=)",
    "javascript:window.PWN=1",
    'http://127.0.0.1:PORT/leak"onmouseover="window.PWN=1',
    'image/png" onload="window.PWN=1',
    "image/svg+xml",
    "{{constructor.constructor('window.PWN=1')()}}",
    "\u2028<script>window.PWN=1</script>\x00<scr\x00ipt>window.PWN=1</scr\x00ipt>",
]


def story_of(texts: dict[str, str]) -> Story:
    """A session with these words in its fields."""

    def put(name: str, otherwise: str = "plain") -> str:
        return texts.get(name, otherwise)

    source = {"type": "base64", "media_type": put("media_type", "image/png"), "data": put("image_data", DOT)}
    call = {"type": "tool_use", "id": put("tool_use_id"), "name": put("tool_name"), "input": {"q": put("tool_input")}}
    result = {"type": "tool_result", "tool_use_id": put("tool_use_id"), "content": put("tool_result")}
    said = {"type": "text", "text": put("text")}
    messages = (
        {"role": put("role", "user"), "content": [said, {"type": "image", "source": source}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": put("thinking"), "signature": "x"}, call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": "Done."},
    )
    return Story(
        tool="rejoinder-session",
        dialect="anthropic",
        messages=messages,
        session=put("uuid"),
        title=put("title"),
        folder=put("cwd"),
        model=put("model"),
        began=put("timestamp"),
        names=(put("uuid"),) * 4,
        times=(put("timestamp"),) * 4,
        notes={1: (Note(put("role", "repair"), put("text")),)},
        forks=(Fork(put("uuid"), 1),),
        settings={"system": put("text")},
    )
