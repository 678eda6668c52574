"""The models of some folders, as agents see them: by id, without absolute paths."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ...checkin import Card, Repository, check_in
from ...checkin.index.browse import Browser, Filters
from ...checkin.index.folders import folder_digest
from ...checkin.index.sidecar_file import write_generated
from ...checkin.lexicon.text import without_folders
from ...checkin.user.context import load_context
from ..decision_json import as_dict

PAGE = 50
"""The largest number of models in one answer."""
MAX_CAPTIONS = 50
"""How many of the most frequent training captions of a model are shown."""
SHORT = ("id", "kind", "triggers", "subjects", "styles", "version", "created_at", "base_model")
"""The fields of a card in a list."""


@dataclass
class Library:
    """The models of folders, of a cards.jsonl, or of both; read again when they change.

    Thread-safe. Every method raises ValueError for wrong input, and OSError where a file cannot be
    read or written.
    """

    folders: Sequence[Path]
    cards: Path | None = None
    cache: Path | None = None
    settings: Path | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _browser: Browser | None = None
    _seen: str = ""

    def __post_init__(self) -> None:
        """Raises ValueError unless there is something to open."""
        if not self.folders and not self.cards:
            raise ValueError("say where your models are: FOLDER, or --cards FILE.")
        for place in (*self.folders, *([self.cards] if self.cards else [])):
            if not place.exists():
                raise ValueError(f"{place} does not exist: name the place of your models.")
        self.folders = [Path(os.path.abspath(folder)) for folder in self.folders]

    def browser(self) -> Browser:
        """All cards, as the disk has them now."""
        with self._lock:
            beside = [str(self.cards.absolute().parent)] if self.cards else []
            seen = folder_digest(map(str, self.folders), beside)
            if self._browser is None or seen != self._seen:
                repository = Repository.open(
                    *self.folders, cards=self.cards, cache=self.cache, named=True
                )
                self._browser, self._seen = Browser(repository), seen
            return self._browser

    def find(self, request: str, answers: Sequence[str]) -> dict[str, Any]:
        """The decision, as `personalq ask --json` gives it, with its models in `cards`."""
        repository = self.browser().repository
        context = load_context(self.settings)
        decision = check_in(request, repository, answers=answers, context=context)
        notices = [without_folders(one) for one in decision.notices]
        return as_dict(decision, ()) | {
            "cards": [self._short(card) for card in decision.cards],
            "notices": notices,
        }

    def page(self, filters: Filters, offset: int) -> dict[str, Any]:
        """How many models fit, and PAGE of them from `offset` on, the newest first."""
        browser = self.browser()
        choices = dict(browser.values()["base_model"])
        if filters.base_model and filters.base_model not in choices:
            raise ValueError(
                f"no model here has the base model {filters.base_model!r}; there are "
                f"{', '.join(choices) or 'none that are known'}"
            )
        found = browser.find(filters)
        rest = offset + PAGE
        return {
            "total": len(found),
            "cards": [self._short(entry.card) for entry in found[offset:rest]],
            "next_offset": rest if rest < len(found) else None,
            "notices": [without_folders(one) for one in browser.repository.notices[:PAGE]],
        }

    def show(self, model: str) -> dict[str, Any]:
        """All that is known of one model, and the checkpoint that it is loaded on."""
        repository = self.browser().repository
        card = self._card(model)
        base = repository.base_for(card)
        values = card.as_dict()
        values.pop("path", None)
        values.pop("previews", None)
        captions = sorted(card.captions.items(), key=lambda one: -one[1])[:MAX_CAPTIONS]
        shown = values | ({"captions": dict(captions)} if captions else {})
        return {"card": self._file(card) | shown, "base": base.id if base else None}

    def describe(self, model: str, fields: Mapping[str, object], by: str) -> dict[str, Any]:
        """Write into the block `generated` of a model's sidecar, and show the model.

        `kept` names the fields that keep their value, because a person or a file says it.
        """
        said = {name: value for name, value in fields.items() if value}
        if not said:
            raise ValueError("say at least one of description, subjects and styles")
        with self._lock:
            card = self._card(model)
            if card.path is None:
                raise ValueError(f"{model!r} has no file here, so no card can lie beside it")
            write_generated(card.path, said, by, datetime.now().astimezone())
            sources = self._card(model).sources
            kept = [name for name in said if sources.get(name) != "generated"]
            return self.show(model) | {"kept": kept}

    def _card(self, model: str) -> Card:
        try:
            return self.browser().repository.get(model)
        except KeyError:
            raise ValueError(f"no model has the id {model!r}: take one that `list` gives") from None

    def _short(self, card: Card) -> dict[str, Any]:
        values = card.as_dict()
        return self._file(card) | {name: values[name] for name in SHORT if name in values}

    def _file(self, card: Card) -> dict[str, str]:
        """The file's path below the folder that was named."""
        if card.path is None:
            return {}
        path = Path(card.path)
        inside = (path.relative_to(one) for one in self.folders if path.is_relative_to(one))
        return {"file": next(inside, Path(path.name)).as_posix()}
