"""Test the LoRA stack for nodes of other packs: the host's loader finds each LoRA by its name."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

import folder_paths

from personalq.checkin import Card
from personalq.demo.host_process import failure
from personalq.nodes.host.models.lora_stack import lora_stack
from personalq.tests.host.graphs import check_in


@pytest.fixture
def loras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two loras folders; this is the second."""
    roots = [tmp_path / "one", tmp_path / "two"]
    for root in roots:
        (root / "person").mkdir(parents=True)
    endings = folder_paths.folder_names_and_paths["loras"][1]
    monkeypatch.setitem(
        folder_paths.folder_names_and_paths, "loras", ([str(one) for one in roots], endings)
    )
    return roots[1]


def test_loras_have_the_names_that_the_hosts_loader_offers(loras: Path):
    place = loras / "person" / "anna.safetensors"
    place.write_bytes(b"")
    checkpoint = Card("c", str(loras.parent / "c.safetensors"))
    anna = Card("a", str(place), "lora", strength=0.8)
    stack, notices = lora_stack([checkpoint, anna])
    assert stack == [(os.path.join("person", "anna.safetensors"), 0.8, 0.8)]
    assert folder_paths.get_full_path("loras", stack[0][0]) == str(place)
    assert not notices


def test_a_lora_in_another_folder_is_left_out_with_a_notice(loras: Path):
    stack, notices = lora_stack([Card("a", str(loras.parent / "anna.safetensors"), "lora")])
    assert stack == []
    assert notices == ["anna is not in lora_stack: it lies in none of ComfyUI's loras folders."]


def shown(host, request: str, **inputs) -> str | None:
    """What lora_stack is after a request; None where it is blocked."""
    show = {"class_type": "PreviewAny", "inputs": {"source": ["2", 6]}}
    entry = host.prompt(check_in(request, **inputs) | {"show": show}, "client")
    assert failure(entry) is None
    return entry["outputs"]["show"]["text"][0] if "show" in entry["outputs"] else None


def test_a_request_gives_the_stack_of_its_lora(host, demo_repository: Path):
    ((name, *strengths),) = json.loads(shown(host, "my latest realistic bear") or "")
    assert (demo_repository / "loras" / name).is_file()
    assert strengths == [1.0, 1.0]


def test_a_checkpoint_gives_an_empty_stack_and_a_question_none(host):
    assert shown(host, "anna", repository="checkpoints") == "[]"
    assert shown(host, "dog") is None
