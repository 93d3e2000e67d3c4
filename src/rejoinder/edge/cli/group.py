"""The commands by name, each loaded when it is called; and every failure as one line and an exit code."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import IO, Any

import click

from rejoinder import __version__
from rejoinder.errors import RejoinderError
from rejoinder.render.terminal import in_a_line

# The one-line help stands here, so that `rejoinder --help` imports none of them.
COMMANDS = {
    "check": "Would the API take this history? Shows each fault, its message and its fixes.",
    "repair": "Mend a history: shows the steps and a diff; writes with -o or --write.",
    "convert": "A history for another API or another store, with each loss named.",
    "probe": "What a model's own chat template takes, refuses, and leaves out.",
    "doctor": "Which sessions of agents on this machine are damaged, where, and how to mend them.",
    "diff": "What changed between two histories, message by message, and what it costs.",
    "explain": "What a rule, a target, or an error text pasted from a provider means.",
    "render": "A template filled with values: a text, or a whole conversation for an API.",
    "dialects": "The shapes a history can be read in, and what each can hold.",
    "targets": "The APIs that a history can be held against, and what each demands.",
}
EXAMPLES = """\b
Examples:
  rejoinder check history.json
  rejoinder check requests.jsonl --target anthropic --json
  rejoinder repair history.json --target openai-chat -o repaired.json
  rejoinder convert history.json --to anthropic -o there.json
  rejoinder explain tool_pairing.unanswered
  pbpaste | rejoinder explain -

\b
Exit codes: 0 all is well, 1 something was found, 2 it could not be read
or was called wrongly."""
TROUBLE = 2
STOPPED = 130


class Door(click.Group):
    """A group that imports a command when it is called, and turns each failure into one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (the name is click's)
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"rejoinder.edge.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            known = ", ".join(COMMANDS)
            raise click.UsageError(f"there is no command {args[0]!r}; there are {known}", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command and leave with its exit code; nothing that goes wrong shows a traceback."""
        extra["standalone_mode"] = False
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, ValueError, OSError):
                stream.reconfigure(errors="backslashreplace")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        sys.exit(_code(lambda: super(Door, self).main(*args, **extra)))


def _code(run: Any) -> int:
    """The exit code of a run: what went wrong is told on stderr."""
    try:
        code = run()
        _flush(sys.stdout)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as left:
        return left.exit_code
    except click.UsageError as error:
        return _usage(error)
    except (click.ClickException, RejoinderError) as error:
        return _tell(error.format_message() if isinstance(error, click.ClickException) else str(error))
    except (KeyboardInterrupt, click.Abort):
        _tell("stopped; nothing is half written")
        return STOPPED
    except BrokenPipeError:
        # Whoever read from us has seen enough. Without this, Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except MemoryError:
        return _tell("this needs more memory than there is; split the file into smaller ones")
    except OSError as error:
        # Files tell their own failures; what is left are the streams.
        return _tell(f"standard output or input failed: {error.strerror or error}; what was written to it is not whole")
    except Exception as error:  # whatever it is, a user gets a line and not a traceback
        if "traceback" in os.environ.get("REJOINDER_DEBUG", "").split(","):
            raise
        words = f"{type(error).__name__}: {error}"[:300]
        return _tell(f"a fault of rejoinder itself ({words}); REJOINDER_DEBUG=traceback shows where, please report it")


def _flush(stream: IO[str] | None) -> None:
    """Write what is still held back, so that a failure is told and not left to Python's end."""
    if stream is not None:
        stream.flush()


def _tell(words: str) -> int:
    with suppress(OSError):
        click.echo(f"rejoinder: {in_a_line(words)}", err=True)
    return TROUBLE


def _usage(error: click.UsageError) -> int:
    command = error.ctx.command_path if error.ctx else "rejoinder"
    words = error.format_message().rstrip(".")
    return _tell(f"{words[:1].lower()}{words[1:]}; see {command} --help")


@click.group(
    cls=Door,
    name="rejoinder",
    invoke_without_command=True,
    epilog=EXAMPLES,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "REJOINDER",
        "max_content_width": 100,
    },
)
@click.version_option(__version__, "--version", message="%(prog)s %(version)s")
@click.pass_context
def rejoinder(context: click.Context) -> None:
    """Keep LLM conversations valid: check a message history against an API, mend it, explain its faults.

    FILE is a JSON list of messages, a whole request body, or JSON Lines (a message or a conversation
    on each line); `-` is standard input.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
