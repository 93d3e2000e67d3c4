"""The message processor: templates in messages, filled and checked, one by one or as a whole conversation."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import msgspec

from rejoinder.assemble.fill_message import Texts, fill_message
from rejoinder.assemble.message_rules import MESSAGE_RULES, MessageRule
from rejoinder.assemble.message_template import Bound, fill_messages, read_messages
from rejoinder.assemble.placing import settled
from rejoinder.dialects.clause import Target
from rejoinder.errors import MissingVariableError, PayloadError, TemplateError
from rejoinder.journey import repair
from rejoinder.mend.policy import Policy
from rejoinder.mend.report import Step
from rejoinder.targets import find_target
from rejoinder.template.fill import Filling, Filter, How, Missing, Resolver, Scope
from rejoinder.template.limits import DEFAULT, Limits
from rejoinder.template.nodes import Nodes
from rejoinder.template.parse import Parser, parse
from rejoinder.template.syntax import Syntax
from rejoinder.template.template import Template
from rejoinder.values.finding import Finding
from rejoinder.values.loose import is_array, is_object, kind_of
from rejoinder.values.payload import Payload, holder_of

OnError = Literal["keep", "raise"]
_log = logging.getLogger("rejoinder.template")
_CACHED, _LONGEST_CACHED, _ERRORS_KEPT = 512, 100_000, 100


class VariableCheck(NamedTuple):
    """Whether the values have all that a template wants, and what they have not. True if they have."""

    valid: bool
    missing: list[str]

    def __bool__(self) -> bool:
        return self.valid


class MessageCheck(NamedTuple):
    """Whether a message is as it has to be, and all that it is not. True if it is."""

    valid: bool
    errors: list[str]

    def __bool__(self) -> bool:
        return self.valid


class RenderedMessages(msgspec.Struct, frozen=True):
    """A conversation that a template became: `payload` of the kind that was handed in.

    `steps` is what it took to have a target accept it, and `left` what it would still refuse.
    """

    payload: Any
    steps: tuple[Step, ...] = ()
    left: tuple[Finding, ...] = ()


class MessageProcessor:
    """Fills templates in texts and in messages, tells what they want, and checks messages.

    With `on_error="keep"` a text whose template fails stays as it was, and `errors` has the reason; with "raise" it
    is raised. A missing name is its default, or nothing, or (`missing="raise"`) always an error. `rules` says what a
    message has to be; the other options are those of `Template`. What was handed in is never changed.
    """

    def __init__(
        self,
        *,
        on_error: OnError = "keep",
        missing: Missing = "empty",
        filters: Mapping[str, Filter] | None = None,
        resolver: Resolver | None = None,
        syntax: Syntax | None = None,
        parser: Parser | None = None,
        limits: Limits = DEFAULT,
        rules: Iterable[MessageRule] = MESSAGE_RULES,
    ) -> None:
        if on_error not in ("keep", "raise"):
            raise ValueError(f"on_error is 'keep' or 'raise', not {on_error!r}")
        self._on_error = on_error
        self._how = How(missing, limits, dict(filters or {}), resolver)
        self._syntax = syntax
        self._parser = parser
        self._rules = tuple(rules)
        self._errors: deque[TemplateError] = deque(maxlen=_ERRORS_KEPT)
        self._known = lru_cache(maxsize=_CACHED)(self._read)

    @property
    def errors(self) -> tuple[TemplateError, ...]:
        """Why texts were kept as they were, the latest last. The last hundred are remembered."""
        return tuple(self._errors)

    def render_template(self, template: str, variables: Any = None) -> str:
        """The text with the values in it; the text as it was where its template fails."""
        filled: str = self._kept(template, lambda: self._template(template).render(variables))
        return filled

    def parse_variables(self, template: str) -> list[str]:
        """The names that a template wants, as they first come and each once: `user.name`, not those of a loop."""
        return list(self._template(template).variables)

    def validate_variables(self, template: str, variables: Any = None) -> VariableCheck:
        """Whether the values have all that a template wants; what has a default is not missed."""
        missing = list(self._template(template).missing(variables))
        return VariableCheck(not missing, missing)

    def render_message(self, message: Mapping[str, Any], variables: Any = None) -> dict[str, Any]:
        """A copy of the message with its content and the arguments of its calls filled, and all else as it was."""
        if not is_object(message):
            raise PayloadError(f"a message is an object, and this is {kind_of(message)}")
        filling = Filling("", {} if variables is None else variables, self._how)
        return fill_message(message, self._texts(filling, filling.scope(), ()))

    def validate_message(self, message: Any) -> MessageCheck:
        """All that is wrong with a message by the rules, each with its place."""
        if not is_object(message):
            return MessageCheck(False, [f"the message is of the type {kind_of(message)}, and has to be an object"])
        errors = [found for rule in self._rules for found in rule(message)]
        return MessageCheck(not errors, errors)

    def render_messages(
        self,
        template: Payload,
        variables: Any = None,
        *,
        target: str | None = None,
        model: str | None = None,
        policy: Policy | str | None = None,
    ) -> RenderedMessages:
        """A list of messages, or a body that holds one, filled; between messages, tags repeat and splice.

        A text of the list holds tags: `"{{#each history}}"`, `"{{this}}"`, `"{{/each}}"`. A message of the template
        never comes to stand between a call and its result. With a target, the outcome is mended for it.
        """
        wants = find_target(target) if target is not None else None
        payload = self._conversation(template, {} if variables is None else variables, wants)
        if wants is None:
            return RenderedMessages(payload)
        mended = repair(payload, wants.name, model=model, policy=policy)
        return RenderedMessages(mended.payload, mended.steps, mended.left)

    # --- inside ---

    def _conversation(self, template: Payload, values: Any, wants: Target | None) -> Payload:
        holder = holder_of(template)
        entries: Any = template[holder] if is_object(template) and holder in template else template
        if not is_array(entries):
            raise PayloadError(f"a template of messages is a list, or a body that holds one, not {kind_of(template)}")
        names = frozenset(self._how.filters)
        read = read_messages(list(entries), syntax=self._syntax, limits=self._how.limits, filters=names)

        def fill_one(message: Any, filling: Filling, scope: Scope, bound: Bound) -> Any:
            return fill_message(message, self._texts(filling, scope, bound))

        made = list(fill_messages(read, values, self._how, fill_one))
        dialect = wants.dialect if wants is not None and wants.dialect else None
        messages = settled([each.message for each in made], [each.inserted for each in made], dialect)
        if not is_object(template):
            return messages
        filling = Filling("", values, self._how)
        texts = self._texts(filling, filling.scope(), ())
        around = {name: texts.deep(value) if name == "system" else value for name, value in template.items()}
        return {**around, holder: messages}

    def _texts(self, filling: Filling, scope: Scope, bound: Bound) -> Texts:
        def read(text: str) -> Nodes:
            return self._nodes(text, bound) if bound else self._template(text).nodes

        return Texts(read, filling, scope, self._kept)

    def _kept(self, original: Any, fill: Callable[[], Any]) -> Any:
        """What a filling gives, or the original and a note of why."""
        try:
            return fill()
        except MissingVariableError:
            raise
        except TemplateError as error:
            if self._on_error == "raise":
                raise
            self._errors.append(error)
            _log.warning("a template was kept as it was: %s", error)
            return original

    def _template(self, text: str) -> Template:
        cached = isinstance(text, str) and len(text) <= _LONGEST_CACHED  # pyright: ignore[reportUnnecessaryIsInstance]
        return self._known(text) if cached else self._read(text)

    def _read(self, text: str) -> Template:
        how = self._how
        return Template(
            text,
            missing=how.missing,
            filters=how.filters,
            resolver=how.resolver,
            syntax=self._syntax,
            parser=self._parser,
            limits=how.limits,
        )

    def _nodes(self, text: str, bound: Bound) -> Nodes:
        if self._parser is not None:
            return self._parser(text)
        names = frozenset(self._how.filters)
        return parse(text, syntax=self._syntax, limits=self._how.limits, filters=names, bound=bound)
