"""`rejoinder render`: a template filled with values, a text or a whole conversation; and what it wants of them."""

from __future__ import annotations

import json
import time
from typing import Any

import click

from rejoinder.assemble.processor import MessageProcessor, RenderedMessages
from rejoinder.edge import files, json_write
from rejoinder.edge.cli import options, output
from rejoinder.errors import PayloadError, TemplateError
from rejoinder.template.fill import Missing
from rejoinder.template.limits import Limits
from rejoinder.template.template import Template
from rejoinder.values.loose import is_array, is_object

EXAMPLES = """\b
Examples:
  rejoinder render prompt.txt --vars vars.json -D name=Ann
  rejoinder render request.json --vars vars.json --target anthropic -o request.out.json
  rejoinder render --needs prompt.txt
  rejoinder render --needs prompt.txt --json     as JSON Schema

\b
A FILE that holds a JSON list or object is a template of messages: between them stand texts with tags, as in
"{{#each history}}", "{{this}}", "{{/each}}". Any other file is a text.

\b
Exit codes: 0 filled; 1 filled, and the target would still refuse it; 2 the template or the values are wrong."""
SECONDS = 30.0


@click.command("render", epilog=EXAMPLES, short_help="A template filled with values.")
@click.argument("file", metavar="FILE")
@click.option("--vars", "values", metavar="FILE", help="The values: a JSON object.")
@click.option(
    "-D", "defined", metavar="NAME=VALUE", multiple=True, help="One value, a text; user.name=Ann goes inside."
)
@click.option("--needs", is_flag=True, help="Fill nothing; list the variables, with --json as JSON Schema.")
@click.option("--missing", type=click.Choice(["empty", "raise"]), default="empty", help="What a missing name becomes.")
@options.target
@options.model
@click.option("-o", "--output", "out", metavar="OUT", help="Write it here instead of to standard output.")
@options.as_json
def command(
    file: str,
    values: str | None,
    defined: tuple[str, ...],
    needs: bool,
    missing: Missing,
    target: str | None,
    model: str | None,
    out: str | None,
    as_json: bool,
) -> int:
    """Fill a template with values, or tell what it wants.

    `{{name}}`, `{{user.name|somebody}}`, `{{#if}}`, `{{#unless}}`, `{{#each}}`, `{{#with}}` as in Handlebars. Values
    are put in as they are; nothing that a value says is read as a template, or as a message.
    """
    options.must_be_known(target, None)
    source = files.read(file)
    template = _messages(source.text)
    if target is not None and template is None:
        raise click.UsageError("--target is for a template of messages, and this is a text")
    try:
        if needs:
            return _tell_needs(source.text if template is None else _texts(template), as_json)
        given = _values(values, defined)
        limits = Limits(seconds=SECONDS, clock=time.monotonic)
        if template is None:
            return _say_text(Template(source.text, missing=missing, limits=limits).render(given), out, as_json)
        processor = MessageProcessor(on_error="raise", missing=missing, limits=limits)
        return _say_messages(processor.render_messages(template, given, target=target, model=model), out, as_json)
    except TemplateError as error:
        where = f"{source.name}:{error.line}:{error.column}" if error.line and template is None else source.name
        here = f"; here: {error.excerpt}" if error.excerpt else ""
        raise PayloadError(f"{where}: {error.says}{here}") from None


def _messages(text: str) -> Any:
    """The list or the body that a text is; None where it is a text and nothing more."""
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("[", "{"):
        return None
    try:
        found: Any = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return found if is_array(found) or is_object(found) else None


def _values(path: str | None, defined: tuple[str, ...]) -> dict[str, Any]:
    given: Any = {}
    if path is not None:
        try:
            given = json.loads(files.read(path).text.lstrip("\ufeff"))
        except (ValueError, RecursionError) as error:
            if isinstance(error, PayloadError):
                raise
            raise PayloadError(f"{path}: the values are no JSON: {error}") from None
        if not is_object(given):
            raise PayloadError(f"{path}: the values have to be a JSON object")
    for each in defined:
        name, mark, value = each.partition("=")
        if not mark or not name:
            raise click.UsageError(f"-D {each!r}: write it as NAME=VALUE")
        _put(given, name.split("."), value, each)
    return given


def _put(given: dict[str, Any], names: list[str], value: str, said: str) -> None:
    for name in names[:-1]:
        inner = given.setdefault(name, {})
        if not is_object(inner):
            raise click.UsageError(f"-D {said!r}: {name!r} is no object in the values")
        given = inner
    given[names[-1]] = value


def _texts(template: Any) -> str:
    """All texts of a template of messages in one, in which the blocks between messages hold together."""
    if isinstance(template, str):
        return template
    inner = template if is_array(template) else template.values() if is_object(template) else ()
    return "\n".join(_texts(each) for each in inner)


def _tell_needs(text: str, as_json: bool) -> int:
    template = Template(text)
    if as_json:
        output.say_json(template.schema())
    else:
        output.say_data("".join(f"{name}\n" for name in template.variables))
    return 0


def _say_text(text: str, out: str | None, as_json: bool) -> int:
    if as_json:
        output.say_json({"text": text})
    if out is not None and out != files.STDIN:
        files.write(out, text)
    elif not as_json:
        output.say_data(text)
    return 0


def _say_messages(rendered: RenderedMessages, out: str | None, as_json: bool) -> int:
    if as_json:
        steps, left = ([each.as_dict() for each in found] for found in (rendered.steps, rendered.left))
        output.say_json({"payload": rendered.payload, "steps": steps, "left": left})
    text = json_write.written(rendered.payload, json_write.PAGE) + "\n"
    if out is not None and out != files.STDIN:
        files.write(out, text)
    elif not as_json:
        output.say_data(text)
    for finding in rendered.left:
        click.echo(f"rejoinder: left: {finding.pointer}: {finding.says}", err=True)
    return int(any(finding.severity == "error" for finding in rendered.left))
