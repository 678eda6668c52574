"""Test what is read of the host's queue."""

from __future__ import annotations

import pytest

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from server import PromptServer

from personalq.nodes.host.running import running_graph, running_workflow
from personalq.tests.host.server_in_process import Server


class Uncopied(dict):
    """A graph that is not to be copied."""

    def __deepcopy__(self, memo):
        raise AssertionError("a waiting run was copied")


def test_runs_that_wait_are_not_copied(monkeypatch):
    server = Server()
    monkeypatch.setattr(PromptServer, "instance", server, raising=False)
    assert (running_graph(), running_workflow()) == ({}, {})
    graph = {"2": {"class_type": "PersonalQCheckIn", "inputs": {}}}
    server.prompt_queue.put((1, "first", graph, {"extra_pnginfo": {"workflow": {"id": "a"}}}, []))
    server.prompt_queue.get()
    server.prompt_queue.put((2, "second", Uncopied(), {}, []))
    assert running_graph() == graph
    assert running_workflow() == {"workflow": {"id": "a"}}
