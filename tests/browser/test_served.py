"""What ComfyUI serves of the pack: its scripts, help pages and workflow templates."""

from __future__ import annotations

import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = ROOT / "workflows"
NODES = ["PersonalQCheckIn", "PersonalQClarify", "PersonalQTriggerRewrite", "PersonalQTAQ"]
NODES += ["PersonalQSensitivity", "PersonalQCalibrate", "PersonalQSettings"]
TEMPLATES = sorted(path.stem for path in WORKFLOWS.glob("*.json"))


def fetch(url: str) -> tuple[str, bytes]:
    """(content type, body)."""
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.headers["Content-Type"], answer.read()


def test_scripts_are_listed_as_extensions(host):
    listed = {name for name in host.get("/extensions") if name.startswith("/extensions/personalq/")}
    assert listed == {f"/extensions/personalq/{file.name}" for file in (ROOT / "web").glob("*.js")}


@pytest.mark.parametrize("node", NODES)
def test_help_page_names_every_input_and_output(host, node):
    _, page = fetch(f"{host.url}/extensions/personalq/docs/{node}.md")
    text = page.decode()
    info = host.get(f"/object_info/{node}")[node]
    names = [*info["input"]["required"], *info["input"].get("optional", {}), *info["output_name"]]
    assert [name for name in names if f"**{name}**" not in text] == []
    assert text.startswith(f"# {info['display_name']}\n")


@pytest.mark.parametrize("template", TEMPLATES)
def test_template_is_listed_with_its_thumbnail(host, template):
    assert template in host.get("/workflow_templates")["personalq"]
    kind, picture = fetch(f"{host.url}/api/workflow_templates/personalq/{template}.jpg")
    assert kind == "image/jpeg"
    assert picture.startswith(b"\xff\xd8")
