"""The official SDKs as judges, over real sockets: they accumulate our streams, and we join what they hand out."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

import rejoinder as rj
from streamed import DIALECTS, EVENTS, WHOLE, wire
from test_streams import assembled

QUESTION = [{"role": "user", "content": "Weather?"}]


class Upstream(ThreadingHTTPServer):
    """Answers every POST with one stream, a few bytes at a time."""

    daemon_threads = True
    stream = b""
    step = 37

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        upstream: Any = self.server
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for start in range(0, len(upstream.stream), upstream.step):
            self.wfile.write(upstream.stream[start : start + upstream.step])
            self.wfile.flush()
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    server = Upstream(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


# --- each SDK's own accumulation ---------------------------------------------------------------------


def chat(url: str) -> dict[str, Any]:
    with openai.OpenAI(base_url=url, api_key="k", max_retries=0) as client:
        messages: Any = QUESTION
        with client.chat.completions.stream(model="m", messages=messages) as stream:
            return stream.get_final_completion().model_dump(mode="json", exclude_unset=True)


def responses(url: str) -> dict[str, Any]:
    client = openai.OpenAI(base_url=url, api_key="k", max_retries=0)
    with client, client.responses.stream(model="m", input="Weather?") as stream:
        return stream.get_final_response().model_dump(mode="json", exclude_unset=True)


def messages(url: str) -> dict[str, Any]:
    with anthropic.Anthropic(base_url=url, api_key="k", max_retries=0) as client:
        asked: Any = QUESTION
        with client.messages.stream(model="m", max_tokens=9, messages=asked) as stream:
            return stream.get_final_message().model_dump(mode="json", exclude_unset=True)


def generated(url: str) -> list[types.GenerateContentResponse]:
    client = genai.Client(api_key="k", http_options=types.HttpOptions(base_url=url))
    return list(client.models.generate_content_stream(model="m", contents="Weather?"))


def without_parsed(body: Any) -> Any:
    """What the SDK adds for those who gave it a schema."""
    if isinstance(body, dict):
        return {name: without_parsed(value) for name, value in body.items() if not name.startswith("parsed")}
    return [without_parsed(each) for each in body] if isinstance(body, list) else body


@pytest.mark.parametrize("source", DIALECTS)
def test_the_openai_sdk_accumulates_the_completion(upstream: Upstream, source: str):
    body = WHOLE[source]
    if source == "openai-responses":
        # openai 3.51.0 cannot accumulate a streamed call of free text: it looks for its name in a dict.
        body = {**body, "output": [item for item in body["output"] if item["type"] != "custom_tool_call"]}
    answer = rj.read_answer(body, source)
    upstream.stream = b"".join(rj.stream(answer, "openai-chat"))
    found, own = without_parsed(chat(upstream.url)), answer.converted("openai-chat").body
    message = found["choices"][0]["message"]
    for call in message["tool_calls"]:
        call.pop("index", None)  # the SDK keeps the number; an answer at once has none
    expected = own["choices"][0]["message"]
    assert {name: message.get(name) for name in expected} == expected
    assert found["choices"][0]["finish_reason"] == "tool_calls"
    assert found["usage"] == own["usage"]
    assert found["id"] == own["id"]


@pytest.mark.parametrize("source", DIALECTS)
def test_the_openai_sdk_accumulates_the_response(upstream: Upstream, source: str):
    answer = rj.read_answer(WHOLE[source], source)
    upstream.stream = b"".join(rj.stream(answer, "openai-responses"))
    found = without_parsed(responses(upstream.url))
    assert found == answer.converted("openai-responses").body


@pytest.mark.parametrize("source", DIALECTS)
def test_the_anthropic_sdk_accumulates_the_message(upstream: Upstream, source: str):
    answer = rj.read_answer(WHOLE[source], source)
    upstream.stream = b"".join(rj.stream(answer, "anthropic"))
    found, own = without_parsed(messages(upstream.url)), answer.converted("anthropic").body
    assert found["content"] == own["content"]
    assert found["stop_reason"] == own["stop_reason"] == "tool_use"
    assert {name: found["usage"][name] for name in own["usage"]} == own["usage"]


@pytest.mark.parametrize("source", DIALECTS)
def test_the_google_sdk_reads_every_chunk(upstream: Upstream, source: str):
    answer = rj.read_answer(WHOLE[source], source)
    upstream.stream = b"".join(rj.stream(answer, "gemini"))
    chunks = generated(upstream.url)
    own = answer.converted("gemini").body
    contents = [one.content for chunk in chunks for one in chunk.candidates or () if one.content is not None]
    parts = [part for content in contents for part in content.parts or ()]
    assert "".join(part.text or "" for part in parts if not part.thought) == "Let me sée 🎈."
    calls = [(part.function_call.name, part.function_call.args) for part in parts if part.function_call]
    said = [part["functionCall"] for part in own["candidates"][0]["content"]["parts"] if "functionCall" in part]
    assert calls == [(call["name"], call["args"]) for call in said]
    assert [one.finish_reason for one in chunks[-1].candidates or ()] == [types.FinishReason.STOP]
    assert getattr(chunks[-1].usage_metadata, "prompt_token_count", None) == 20


# --- what the SDKs hand out, joined by us --------------------------------------------------------------


def test_events_of_the_sdks_join_to_what_the_sdks_accumulate(upstream: Upstream):
    """The same stream through the SDK's accumulation and through ours, from the SDK's own events."""
    asked: Any = QUESTION
    upstream.stream = wire("anthropic")
    with anthropic.Anthropic(base_url=upstream.url, api_key="k", max_retries=0) as client:
        events = client.messages.create(model="m", max_tokens=9, messages=asked, stream=True)
        dumped = [event.model_dump(mode="json", exclude_unset=True) for event in events]
    ours = assembled("anthropic", *dumped)
    assert not ours.cut
    assert ours.body == WHOLE["anthropic"]
    theirs = messages(upstream.url)
    assert {name: theirs[name] for name in ("content", "stop_reason")} == {
        name: ours.body[name] for name in ("content", "stop_reason")
    }

    upstream.stream = wire("openai-chat")
    with openai.OpenAI(base_url=upstream.url, api_key="k", max_retries=0) as client:
        chunks = client.chat.completions.create(model="m", messages=asked, stream=True)
        ours = assembled("openai-chat", *(chunk.model_dump(mode="json", exclude_unset=True) for chunk in chunks))
    assert not ours.cut
    assert ours.body == WHOLE["openai-chat"]

    upstream.stream = wire("openai-responses")
    with openai.OpenAI(base_url=upstream.url, api_key="k", max_retries=0) as client:
        said = client.responses.create(model="m", input="Weather?", stream=True)
        ours = assembled("openai-responses", *(event.model_dump(mode="json", exclude_unset=True) for event in said))
    assert ours.body == WHOLE["openai-responses"]
    assert without_parsed(responses(upstream.url)) == ours.body


def test_chunks_of_the_google_sdk_join_to_the_answer(upstream: Upstream):
    """Its chunks have underscores in their names, and bytes as base64."""
    upstream.stream = wire("gemini")
    chunks = generated(upstream.url)
    dumped = [chunk.model_dump(mode="json", exclude_none=True, exclude={"sdk_http_response"}) for chunk in chunks]
    ours = assembled("gemini", *dumped)
    assert not ours.cut
    assert ours.body["candidates"] == WHOLE["gemini"]["candidates"]
    assert ours.usage == rj.read_answer(WHOLE["gemini"], "gemini").usage


def test_the_anthropic_sdk_sees_an_error_in_the_middle(upstream: Upstream):
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    answer = assembled("anthropic", *EVENTS["anthropic"][:9], error)
    upstream.stream = b"".join(rj.stream(answer))
    with pytest.raises(anthropic.APIError, match="Overloaded"):
        messages(upstream.url)
    upstream.stream = b"".join(rj.stream(answer, "openai-chat"))
    with pytest.raises(openai.APIError, match="Overloaded"):
        chat(upstream.url)


def test_half_arguments_do_not_arrive_as_a_call_that_ended(upstream: Upstream):
    answer = assembled("openai-chat", *EVENTS["openai-chat"][:5])
    upstream.stream = b"".join(rj.stream(answer, "openai-responses"))
    client = openai.OpenAI(base_url=upstream.url, api_key="k", max_retries=0)
    with client, client.responses.stream(model="m", input="Weather?") as stream:
        kinds = [event.type for event in stream]
    assert "response.function_call_arguments.delta" in kinds
    assert "response.function_call_arguments.done" not in kinds
    assert json.dumps(kinds).count("response.completed") == 0
