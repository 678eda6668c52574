"""YAML read as plain texts: values stay as written, and the file cannot expand or run anything."""

from __future__ import annotations

from typing import Any

import yaml

from ..lexicon.sentences import say
from .encoding import decode
from .header import UnreadableFile

MAX_DEPTH = 20
"""Levels of nesting."""


def load_plain(data: bytes) -> Any:
    """The texts, lists and mappings in `data`.

    `version: 1.10` is "1.10", `no` is "no", and a date is its text; YAML 1.1 would make 1.1, False
    and a date of them.

    Raises UnreadableFile for broken YAML, with the line. It does so also for an alias (a few of
    them can expand to gigabytes), for a key that occurs twice and for nesting deeper than
    MAX_DEPTH.
    """
    try:
        return yaml.load(decode(data), Loader=_PlainLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = (
            say(
                "broken YAML in line {line}: {error}; not read",
                line=mark.line + 1,
                error=error.problem,
            )
            if mark
            else _broken(error.problem)
        )
        raise UnreadableFile(said) from None
    except yaml.reader.ReaderError as error:
        raise UnreadableFile(_broken(f"{error.reason} ({error.position})")) from None
    except (OverflowError, ValueError) as error:  # "\UFFFFFFFF", %YAML with thousands of digits
        raise UnreadableFile(_broken(error)) from None


def _broken(why: object) -> str:
    return say("broken YAML: {error}; not read", error=why)


class _PlainLoader(yaml.BaseLoader):
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        mark = self.peek_event().start_mark
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(
                None, None, say("aliases (*name) are not allowed"), mark
            )
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise yaml.composer.ComposerError(None, None, say("nested too deep"), mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        mapping = super().construct_mapping(node, deep=deep)
        if len(mapping) < len(node.value):
            raise yaml.constructor.ConstructorError(
                None, None, say("a key is there twice"), node.start_mark
            )
        return mapping
