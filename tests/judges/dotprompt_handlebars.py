"""dotpromptz-handlebars as a judge, run by its own interpreter: templates and values on stdin, answers on stdout."""

import json
import sys

from dotpromptz_handlebars import Handlebars, _render  # pyright: ignore[reportMissingImports]

# Where it writes "a,b" and "[object Object]", rejoinder writes JSON, and that is meant.
_as_text = _render._js_text


def as_json(value: object) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _as_text(value)


_render._js_text = as_json


def answer(template: str, values: object) -> dict[str, str]:
    try:
        return {"is": str(Handlebars(escape_fn="no_escape").compile(template)(values))}
    except Exception as error:  # whatever it is, it is its answer
        return {"error": f"{type(error).__name__}: {error}"[:200]}


sys.stdout.write(json.dumps([answer(template, values) for template, values in json.load(sys.stdin)]))
