"""Test Check-in in a graph that another node makes during the run, as nodes for loops do."""

from __future__ import annotations

import pytest

pytest.importorskip("comfy.sd", reason="no ComfyUI here")

from personalq.demo.host_process import HostProcess, failure, prepare_base_directory
from personalq.tests.host.graphs import prompt_of

PACK = '''
from comfy_execution.graph_utils import GraphBuilder


class Repeat:
    """A pack's node that becomes a Repo Check-in when it runs."""

    RETURN_TYPES = ("STRING",)
    FUNCTION = "run"

    @classmethod
    def INPUT_TYPES(cls):
        return {"required": {"request": ("STRING", {})}}

    def run(self, request):
        graph = GraphBuilder()
        inputs = {"repository": "all models", "base_model": "any", "reasoner": "offline"}
        made = graph.node("PersonalQCheckIn", request=request, **inputs)
        return {"result": (made.out(4),), "expand": graph.finalize()}


NODE_CLASS_MAPPINGS = {"Repeat": Repeat}
'''


def test_a_check_in_that_a_loop_made_decides(comfyui, demo_repository, tmp_path):
    base = prepare_base_directory(tmp_path)
    (base / "custom_nodes" / "repeat.py").write_text(PACK)
    graph = {
        "1": {"class_type": "Repeat", "inputs": {"request": "my latest realistic bear on a hill"}},
        "3": {"class_type": "PreviewAny", "inputs": {"source": ["1", 0]}},
    }
    with HostProcess(comfyui, demo_repository, base) as host:
        entry = host.prompt(graph, "client")
        assert failure(entry) is None, host.tail(60)
        assert "on a hill" in prompt_of(entry)
