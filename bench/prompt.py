"""The prompt that template engines are raced on: 2 KB, twenty variables, a condition and a loop of fifty rounds.

Written once as a template, once for each other language, and once by hand: the least that Python can do for it.
"""

from __future__ import annotations

from typing import Any

WORDS = "reads files and searches the whole repository for what it was told to find".split()
ROUNDS = 50

SOURCE = """\
# {{agent}}
You are a careful coding agent working in {{agent}} careful coding agent working in a large repository.
in a large repository with many modules and {{user}} repository with many modules and strict review rules.
and strict review rules You are a careful {{repo}} rules You are a careful coding agent working.
careful coding agent working in a large repository {{branch}} working in a large repository with many modules.
repository with many modules and strict review rules {{system}} modules and strict review rules You are a.
rules You are a careful coding agent working {{shell}} a careful coding agent working in a large.
working in a large repository with many modules {{date}} large repository with many modules and strict review.
modules and strict review rules You are a {{model}} review rules You are a careful coding agent.
a careful coding agent working in a large {{language}} agent working in a large repository with many.
large repository with many modules and strict review {{style}} many modules and strict review rules You are.
review rules You are a careful coding agent {{goal}} are a careful coding agent working in a.
agent working in a large repository with many {{tone}} a large repository with many modules and strict.
many modules and strict review rules You are {{team}} strict review rules You are a careful coding.
are a careful coding agent working in a {{company}} coding agent working in a large repository with.
Path {{env.cwd}}, home {{env.home}}, zone {{env.zone}}, terminal {{env.term}}.
User {{env.user.name}} ({{env.user.mail}}). and strict review rules You are.
{{#if verbose}}Explain every step.{{else}}Be brief.{{/if}}
Tools:
{{#each tools}}- {{name}}: {{about}} (at most {{limit}})
{{/each}}End {{goal}}.
"""


def by_hand(c: dict[str, Any]) -> str:
    """The unit of all ratios: an f-string for exactly this prompt."""
    tools = "".join([f"- {t['name']}: {t['about']} (at most {t['limit']})\n" for t in c["tools"]])
    return f"""\
# {c["agent"]}
You are a careful coding agent working in {c["agent"]} careful coding agent working in a large repository.
in a large repository with many modules and {c["user"]} repository with many modules and strict review rules.
and strict review rules You are a careful {c["repo"]} rules You are a careful coding agent working.
careful coding agent working in a large repository {c["branch"]} working in a large repository with many modules.
repository with many modules and strict review rules {c["system"]} modules and strict review rules You are a.
rules You are a careful coding agent working {c["shell"]} a careful coding agent working in a large.
working in a large repository with many modules {c["date"]} large repository with many modules and strict review.
modules and strict review rules You are a {c["model"]} review rules You are a careful coding agent.
a careful coding agent working in a large {c["language"]} agent working in a large repository with many.
large repository with many modules and strict review {c["style"]} many modules and strict review rules You are.
review rules You are a careful coding agent {c["goal"]} are a careful coding agent working in a.
agent working in a large repository with many {c["tone"]} a large repository with many modules and strict.
many modules and strict review rules You are {c["team"]} strict review rules You are a careful coding.
are a careful coding agent working in a {c["company"]} coding agent working in a large repository with.
Path {c["env"]["cwd"]}, home {c["env"]["home"]}, zone {c["env"]["zone"]}, terminal {c["env"]["term"]}.
User {c["env"]["user"]["name"]} ({c["env"]["user"]["mail"]}). and strict review rules You are.
{"Explain every step." if c["verbose"] else "Be brief."}
Tools:
{tools}End {c["goal"]}.
"""


def values() -> dict[str, Any]:
    """What it is filled with, as JSON gives it."""
    flat = "agent user repo branch system shell date model language style goal tone team company".split()
    user = {"name": "Ann", "mail": "ann@example.org"}
    tools = [
        {"name": f"tool_{number}", "about": " ".join(WORDS[number % 5 :]), "limit": number * 10}
        for number in range(ROUNDS)
    ]
    env = {"cwd": "/srv/app", "home": "/srv/ann", "user": user, "zone": "UTC", "term": "xterm"}
    return {**{name: f"value of {name}" for name in flat}, "env": env, "verbose": True, "tools": tools}


def as_jinja() -> str:
    """The same for Jinja2 and minijinja."""
    text = SOURCE.replace("{{#if verbose}}", "{% if verbose %}").replace("{{else}}", "{% else %}")
    text = text.replace("{{/if}}", "{% endif %}").replace("{{#each tools}}", "{% for t in tools %}")
    text = text.replace("{{/each}}", "{% endfor %}")
    for name in ("name", "about", "limit"):
        text = text.replace(f"{{{{{name}}}}}", f"{{{{t.{name}}}}}")
    return text


def as_mustache() -> str:
    """The same for chevron and pystache, without escaping."""
    text = SOURCE.replace("{{#if verbose}}", "{{#verbose}}").replace("{{else}}", "{{/verbose}}{{^verbose}}")
    text = text.replace("{{/if}}", "{{/verbose}}").replace("{{#each tools}}", "{{#tools}}")
    return _unescaped(text.replace("{{/each}}", "{{/tools}}"))


def _unescaped(text: str) -> str:
    pieces = text.split("{{")
    opened = (piece if piece[0] in "#/^" else "&" + piece for piece in pieces[1:])
    return "{{".join((pieces[0], *opened))
