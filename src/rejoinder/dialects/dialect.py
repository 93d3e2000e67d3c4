"""What every dialect offers: read, write, point, and the facts that tell it from others and carry it over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

import msgspec

from rejoinder.dialects import listed
from rejoinder.dialects.carries import Carries
from rejoinder.dialects.fold import Span
from rejoinder.dialects.listed import Listing
from rejoinder.dialects.skim import Pour, Skim
from rejoinder.values.conversation import Conversation, Message
from rejoinder.values.payload import Payload
from rejoinder.values.place import Place
from rejoinder.values.settings import Settings
from rejoinder.values.view import Layout


class Decode(Protocol):
    """Reads a payload; where spans are given, only those, and the rest stays folded."""

    def __call__(self, payload: Payload, spans: list[Span] | None = None) -> Conversation: ...


class SettingsCodec(msgspec.Struct, frozen=True, kw_only=True):
    """How the members of a body besides its messages are read and written.

    What `write` leaves out, this API has no word for. `where` gives the JSON pointer of each setting by its common
    name, and `needs` the settings without which the API refuses a request.
    """

    read: Callable[[dict[str, Any]], Settings]
    write: Callable[[Settings], dict[str, Any]]
    where: Mapping[str, str]
    needs: tuple[str, ...] = ()


def carried_alike(carries: Carries) -> Callable[[str | None], Carries]:
    """What is carried, where that is the same for every model."""
    return lambda _model: carries


def _never(_payload: Payload) -> bool:
    return False


def _as_it_is(conversation: Conversation) -> Conversation:
    return conversation


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """One wire shape: `encode(decode(x)) == x`, and untouched messages come back as the same objects.

    `signs` are what only some dialects write, in the words of `detect`; a dialect without any is never detected, only
    named; `strange` are those that it surely does not write. `stored` says that no API speaks it: it is an
    application's own; `marks` are then the signs that nobody writes by mistake. A store may write the same messages in
    several `forms`, each a dialect of the same name with a `form`; `shown` tells whether a payload is in it. Dialects
    of one `family` can each read what is written in another: who hands one in as another means it; `own` are members
    of messages that of its family only this one reads. `plain` puts a conversation in terms that all dialects share (an
    outdated form of a call, as a call); `carries` and `settings` are what conversion asks; `skim` and `pour` are its
    quick way for plain histories, where there is one.
    """

    name: str
    says: str
    layout: Layout
    holds: str = "messages"
    # The members of a body that hold system text.
    heads: tuple[str, ...] = ()
    stored: bool = False
    signs: frozenset[str] = frozenset()
    strange: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    family: str = ""
    own: frozenset[str] = frozenset()
    form: str = ""
    forms: tuple[Dialect, ...] = ()
    shown: Callable[[Payload], bool] = _never
    decode: Decode
    encode: Callable[[Conversation], Payload]
    write: Callable[[Message], Any]
    pointer: Callable[[Conversation, Place], str]
    plain: Callable[[Conversation], Conversation] = _as_it_is
    carries: Callable[[str | None], Carries] = carried_alike(Carries())
    settings: SettingsCodec | None = None
    skim: Skim | None = None
    pour: Pour | None = None

    @property
    def full_name(self) -> str:
        """The name, and the form where it is not the usual one."""
        return f"{self.name}:{self.form}" if self.form else self.name

    def in_form_of(self, payload: Payload) -> Dialect:
        """The form that a payload of this dialect is in."""
        return self if self.form else next((form for form in self.forms if form.shown(payload)), self)


def listed_dialect(listing: Listing, **facts: Any) -> Dialect:
    """The dialect of a listing; `facts` are the other fields of `Dialect`."""
    return Dialect(
        name=listing.name,
        holds=listing.holds,
        heads=listing.system,
        decode=partial(listed.decode, listing),
        encode=partial(listed.encode, listing),
        write=listing.write,
        pointer=partial(listed.pointer, listing),
        **facts,
    )
