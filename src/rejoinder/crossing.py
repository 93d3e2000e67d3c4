"""Conversion, on one page: read, mend the pairs, carry over, mend for the target, write."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any, Literal

from msgspec.structs import replace

from rejoinder.carry.converted import Converted, restored
from rejoinder.carry.gather import gathered
from rejoinder.carry.head import head_field, head_messages, split_head, spoken
from rejoinder.carry.media import wanted
from rejoinder.carry.names import identified, named_results, renamed
from rejoinder.carry.parts import carried
from rejoinder.carry.place import placed
from rejoinder.carry.settings import carried_settings, told_settings
from rejoinder.carry.side import FORMAT, Match, matched, seams, unpacked
from rejoinder.carry.way import Way
from rejoinder.dialects.carries import Carries, Loss
from rejoinder.dialects.clause import Target
from rejoinder.dialects.detect import DIALECTS, detect, find_dialect
from rejoinder.dialects.dialect import Dialect
from rejoinder.dialects.fold import open_spans
from rejoinder.errors import LossError, PayloadError
from rejoinder.mend.loop import Reading, look, mend
from rejoinder.mend.policy import Policy, policy_of
from rejoinder.mend.report import Step
from rejoinder.mend.settle import placed as placed_in
from rejoinder.mend.settle import settled
from rejoinder.targets import PAIRS, find_target
from rejoinder.values.ask import Fetch, Fetched, Work, drive
from rejoinder.values.conversation import Conversation, Message
from rejoinder.values.loose import is_array, is_object
from rejoinder.values.payload import Payload, index_of, listed, messages_of, model_of
from rejoinder.values.place import Place

Losses = Literal["tell", "raise"]


def convert(
    payload: Payload,
    target: str,
    *,
    dialect: str | None = None,
    model: str | None = None,
    policy: Policy | str | None = None,
    side: dict[str, Any] | None = None,
    losses: Losses = "tell",
    fetch: Callable[[Fetch], Fetched | None] | None = None,
) -> Converted:
    """The payload in the shape of another API, or of another store, with all that it could not carry named.

    `target` is a target or a dialect; `dialect` says how to read the payload, else it is detected; `model` is the one
    that it is for. `side` is what an earlier conversion kept (`Converted.side`): with it the way back gives the
    original again, and what was said since. `losses="raise"` makes each loss an error. `fetch` is asked for media
    that the target takes inline only; without it a note stands in their place. `payload` is not changed.
    """
    done = drive(converting(payload, target, dialect=dialect, model=model, policy=policy, side=side), fetch)
    if losses == "raise" and done.losses:
        raise LossError(done.losses)
    return done


def converting(
    payload: Payload,
    target: str,
    *,
    dialect: str | None = None,
    model: str | None = None,
    policy: Policy | str | None = None,
    side: dict[str, Any] | None = None,
) -> Work[Converted]:
    """`convert` as work that asks: it yields a `Fetch` for each medium that has to be fetched."""
    wants, goal = _goal(target, side)
    policy = policy_of(policy)
    if side is None:
        # What OpenAI Chat's quick way takes is detected as OpenAI Chat: nothing more has to be asked.
        quick = _quick(payload, find_dialect(dialect or "openai-chat"), Reading(goal, wants, model, policy))
        if quick is not None:
            return quick
    source = _source(payload, dialect, goal).in_form_of(payload)
    handed, payload = payload, listed(payload)
    side, matches = _known(side, payload) if side is not None else (None, [])
    read = source.plain(source.decode(payload))
    policy = policy.sparing(read.waiting())
    whole, mended, policy = _paired(read, source, policy)
    gives, takes = source.carries(model_of(payload)), goal.carries(model)
    messages = named_results(gathered(whole, gives))
    if side is not None:
        messages = renamed(messages, side["ids"])
    got = yield from _fetched(messages, gives, takes)
    apart = seams(matches, len(messages_of(payload)))
    way = Way(source=source.name, target=goal.name, gives=gives, takes=takes, fetched=got, apart=apart, losses=[])
    carried_over = _carried_over(way, whole, messages, source, goal, model)
    reading = Reading(goal, wants, model, policy)
    after, steps, reading = _mended(carried_over, reading, read)
    written, more, left, origins = settled(after, reading)
    asked = [replace(step, pointer=_pointer(step, source, read)) for step in (*steps, *more)]
    converted = Converted(
        payload=written,
        steps=(*mended, *asked),
        losses=(*way.losses, *(_demanded(step) for step in asked if step.cost != "free")),
        left=tuple(left),
        needs=_needs(goal, written),
        dialect=source.name,
        target=goal.name if wants is PAIRS else wants.name,
        source=payload,
        handed=None if handed is payload else handed,
        origins=tuple(origins),
        ids=_ids(asked),
        form=source.full_name,
        turned_back=partial(convert, written, source.full_name, dialect=goal.full_name),
    )
    return converted if side is None else _original(converted, side, matches, Reading(goal, wants, model, policy))


def _source(payload: Payload, dialect: str | None, goal: Dialect) -> Dialect:
    """The dialect that the payload is read in: the one that is named, else the one it shows.

    What is written in the shape of the target's family, with members that only the target reads, is the target's own.
    """
    found = find_dialect(dialect or detect(payload).dialect)
    if dialect is None and goal.family and goal.family == found.family:
        messages = (message for message in messages_of(payload) if is_object(message))
        return goal if any(not goal.own.isdisjoint(message) for message in messages) else found
    return found


def _mended(new: Conversation, reading: Reading, read: Conversation) -> tuple[Conversation, list[Step], Reading]:
    """What was carried over, as the target takes it, and how it was mended: gently, where nothing would be left."""
    after, steps, _ = mend(new, reading)
    if read.messages and not after.messages:
        reading = replace(reading, policy=reading.policy.gentler())
        after, steps, _ = mend(new, reading)
    return after, steps, reading


def _fetched(messages: list[Message], gives: Carries, takes: Carries) -> Work[dict[str, Fetched]]:
    """What stands behind the URLs that the target takes inline only, as far as somebody answers."""
    got: dict[str, Fetched] = {}
    for ask in wanted(messages, gives, takes):
        answer = yield ask
        if answer is not None:
            got[ask.url] = answer
    return got


def _paired(read: Conversation, source: Dialect, policy: Policy) -> tuple[Conversation, tuple[Step, ...], Policy]:
    """The conversation with whole pairs, and an id on each of them; and the policy that left something of it."""
    whole, mended, _ = mend(read, Reading(source, PAIRS, None, policy))
    if read.messages and not whole.messages:
        policy = policy.gentler()
        whole, mended, _ = mend(read, Reading(source, PAIRS, None, policy))
    return identified(whole, source.layout), tuple(mended), policy


def _known(side: dict[str, Any], payload: Payload) -> tuple[dict[str, Any], list[Match]]:
    """The side table, if it is one that this version can read, and what of the payload it knows."""
    if side.get("format") != FORMAT or not is_array(side.get("segments")):
        raise PayloadError(f"this is no side table of format {FORMAT}; it is what `Converted.side` gave")
    side = unpacked(side) if side.get("bytes") else side
    return side, matched(side["segments"], messages_of(payload))


def _original(back: Converted, side: dict[str, Any], matches: list[Match], reading: Reading) -> Converted:
    """What was converted back, with the originals in it; only what was said since is told of."""
    payload = restored(side, matches, back)
    known = {index for match in matches for index in range(match.start, match.stop)}
    conversation = reading.dialect.decode(payload)
    return replace(
        back,
        payload=payload,
        steps=tuple(step for step in back.steps if step.at.message not in known),
        losses=tuple(loss for loss in back.losses if index_of(loss.where) not in known),
        left=tuple(noted.finding for noted in look(conversation, reading)),
        needs=_needs(reading.dialect, payload),
        origins=(),
        turned_back=None,
    )


def _needs(goal: Dialect, written: Payload) -> tuple[str, ...]:
    """The settings that the API asks for, and that a body for it does not have."""
    if goal.settings is None or not is_object(written):
        return ()
    said = goal.settings.read(written)
    return tuple(name for name in goal.settings.needs if getattr(said, name) is None)


def _quick(payload: Payload, source: Dialect, reading: Reading) -> Converted | None:
    """A plain history in the messages of the target: of it nothing is lost. None where somebody is not sure.

    Who ends a history, and how, is asked of both its ends as they were written; what lies between is proven.
    """
    goal = reading.dialect
    if source.skim is None or goal.pour is None or reading.target.name != goal.name:
        return None
    skimmed = source.skim(payload)
    poured = goal.pour(skimmed) if skimmed is not None else None
    encoded = poured.encoded() if poured is not None else None
    if skimmed is None or poured is None or encoded is None:
        return None
    gives, takes = source.carries(None), goal.carries(reading.model)
    way = Way(source=source.name, target=goal.name, gives=gives, takes=takes, losses=[])
    written: Payload = poured.messages
    if is_object(payload) or skimmed.head is not None:
        head = {} if skimmed.head is None else {"system": skimmed.head}
        written = {**_settings(way, payload, source, goal, reading.model), goal.holds: poured.messages, **head}
    ends = goal.decode(written, open_spans(poured.messages, ()))
    _, steps, left = mend(ends, reading)
    if steps:
        return None
    return Converted(
        payload=written,
        losses=tuple(way.losses),
        left=tuple(placed_in(ends, left)),
        needs=_needs(goal, written),
        dialect=source.name,
        target=goal.name,
        source=payload,
        origins=tuple(poured.origins),
        encoded=encoded,
        turned_back=partial(convert, written, source.name, dialect=goal.name),
    )


def _goal(target: str, side: dict[str, Any] | None) -> tuple[Target, Dialect]:
    """The target and its dialect; a dialect that no API speaks is held to its pairs alone.

    What goes home to a store goes in the form that it came in.
    """
    name = str(target).partition(":")[0]
    if name in DIALECTS and DIALECTS[name].stored:
        form = str((side or {}).get("form", ""))
        return PAIRS, find_dialect(form if form.startswith(f"{target}:") else target)
    wants = find_target(target)
    return wants, find_dialect(wants.dialect or target)


def _carried_over(
    way: Way, whole: Conversation, messages: list[Message], source: Dialect, goal: Dialect, model: str | None
) -> Conversation:
    """The conversation in values of the target's dialect, made anew from end to end."""
    places = {
        message.origin: source.pointer(whole, Place(index))
        for index, message in enumerate(whole.messages)
        if message.origin >= 0
    }
    leading, rest = split_head(messages)
    where = [places.get(message.origin, "") for message in leading]
    new = [carried(way, message, places.get(message.origin, "")) for message in rest]
    if not way.takes.later_system:
        new = spoken(way, new, places)
    new = placed(way, new, places)
    system, field = None, whole.system
    if way.takes.head == "field":
        system = head_field(way, field, leading, where)
    else:
        if way.takes.head == "either" and field is not None and len(field.parts) == 1:
            system, field = head_field(way, field, [], []), None
        new = [*head_messages(way, field, leading, where), *new]
    body = _body(way, whole, source, goal, model, system)
    return Conversation(goal.name, tuple(new), system, None, body)


def _body(
    way: Way, whole: Conversation, source: Dialect, goal: Dialect, model: str | None, system: Message | None
) -> Payload:
    """What stands around the messages: a body for a body; for a list too, where system text needs a field."""
    if not is_object(whole.source):
        return [] if system is None else {goal.holds: []}
    return {**_settings(way, whole.source, source, goal, model), goal.holds: []}


def _settings(way: Way, payload: Payload, source: Dialect, goal: Dialect, model: str | None) -> dict[str, Any]:
    """The members of a body besides its messages, for the target."""
    if not is_object(payload):
        return {}
    if source.settings is None or goal.settings is None:
        return told_settings(way, payload, frozenset((source.holds, *source.heads)))
    return carried_settings(way, source.settings, goal.settings, payload, model)


def _ids(steps: list[Step]) -> dict[str, str]:
    """The new ids of calls, each with the one that it had."""
    ids: dict[str, str] = {}
    for new, old in chain.from_iterable(step.renamed for step in steps):
        ids[new] = ids.pop(old, old)
    return ids


def _demanded(step: Step) -> Loss:
    """What the target demanded, as a loss: something went, came or moved for it."""
    return Loss(what=step.rule, where=step.pointer, why=step.says, instead=step.fix)


def _pointer(step: Step, source: Dialect, read: Conversation) -> str:
    index = step.at.message
    return source.pointer(read, Place(index)) if 0 <= index < len(read.messages) else ""
