"""Test the registry's archive: everything users need, and nothing else.

It installs, answers, and loads in ComfyUI.
"""

from __future__ import annotations

import json
import re
import subprocess
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

import pytest

from personalq.demo.host_process import HostProcess
from personalq.tests.checkin import make_files as make
from personalq.tests.release import archive as release

ROOMS = {
    "checkin",
    "cli",
    "doctor",
    "locales",
    "nodes",
    "serve",
    "subgraphs",
    "taq_kernels",
    "web",
    "workflows",
}
FILES = {"__init__.py", "__main__.py", "atomic_write.py", "batch.py", "comfyui_folder.py"}
FILES |= {"ray_cluster.py", "setup.py", "start_comfyui.py"}
FILES |= {"LICENSE", "README.md", "pyproject.toml", "requirements.txt"}
ABOUT = {"LICENSE", "README.md", "pyproject.toml", "requirements.txt", "setup.py"}
"""What a wheel keeps in its metadata, or needs no longer."""
COMMANDS = ("index", "ask", "describe", "quantize", "history", "serve", "mcp")
NEVER_NEEDED = ("torch", "safetensors", "pytest", "diffusers", "PIL", "comfy_kitchen", "mcp")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked archive."""
    try:
        return release.make_archive(tmp_path_factory.mktemp("archive") / "personalq")
    except release.NoCheckout as error:
        pytest.skip(f"not a git checkout ({error})")


@pytest.fixture(scope="module")
def wheel(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that pip makes of the archive."""
    pytest.importorskip(
        "setuptools",
        "77",
        reason="setuptools is older than 77: python quickstart.py test installs it",
    )
    return release.build_wheel(archive, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds the wheel and its dependencies, and nothing
    more.
    """
    return release.install(wheel, tmp_path_factory.mktemp("installed") / "venv")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one LoRA."""
    folder = tmp_path_factory.mktemp("models")
    model = make.make_lora(
        folder / "loras" / "bear_cartoon.safetensors", "sd15", {"ss_output_name": "bear cartoon"}
    )
    make.beside(model, ".personalq.yaml", "subjects: [bear]\nstyles: [cartoon]\ntriggers: <toon>\n")
    return folder


@pytest.fixture(scope="module")
def host(comfyui: Path, archive: Path, models: Path, tmp_path_factory: pytest.TempPathFactory):
    """A real ComfyUI that has the archive as its only pack."""
    with HostProcess(comfyui, models, tmp_path_factory.mktemp("comfyui"), pack=archive) as process:
        yield process


def fetch(host: HostProcess, path: str) -> bytes:
    with urllib.request.urlopen(host.url + urllib.parse.quote(path), timeout=30) as answer:
        return answer.read()


def files_in(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def test_everything_users_need_is_in_it_and_nothing_else(archive):
    assert {path.name for path in archive.iterdir()} == ROOMS | FILES


def test_nothing_in_it_imports_what_is_left_out(archive):
    left_out = re.compile(
        r"^\s*(?:from|import) +(?:personalq\b|\.*(?:bench|demo|tests|quickstart)\b)", re.MULTILINE
    )
    found = {
        f"{file.relative_to(archive)}: {match[0].strip()}"
        for file in archive.rglob("*.py")
        for match in left_out.finditer(file.read_text(encoding="utf-8"))
    }
    assert found == {"cli/bench.py: from ..bench"}  # which says where to get it


def test_the_wheel_holds_what_the_archive_holds(archive, wheel):
    names = {
        name.removeprefix("personalq/")
        for name in zipfile.ZipFile(wheel).namelist()
        if ".dist-info/" not in name
    }
    assert names == files_in(archive) - ABOUT


def test_the_wheel_carries_licence_and_readme(wheel):
    with zipfile.ZipFile(wheel) as packed:
        about = next(name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = packed.read(about).decode()
        assert any(name.endswith("licenses/LICENSE") for name in packed.namelist())
    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    assert "\n# PersonalQ" in metadata


def test_the_environment_has_only_the_dependencies(programs):
    code = (
        f"import importlib.util as u; print([name for name in {NEVER_NEEDED} if u.find_spec(name)])"
    )
    assert release.run([programs / "python", "-c", code]).stdout.strip() == "[]"


def test_the_command_helps(programs):
    helped = release.run([programs / "personalq", "--help"]).stdout
    assert all(command in helped for command in COMMANDS)
    for command in COMMANDS:
        release.run([programs / "personalq", command, "--help"])


def test_the_command_lists_models(programs, models):
    listed = release.run([programs / "personalq", "index", models, "--json"]).stdout
    assert [card["subjects"] for card in json.loads(listed)["cards"]] == [["bear"]]


def test_the_command_finds_a_model(programs, models, tmp_path):
    asked = [programs / "personalq", "ask", "a cartoon bear on a hill", "--repo", models]
    answer = json.loads(release.run([*asked, "--settings", tmp_path, "--json"]).stdout)
    assert (answer["outcome"], answer["prompt"]) == ("select", "a cartoon <toon> on a hill")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["bench", "demo"], "a clone of https://github.com/"),
        (["quantize", "a.safetensors"], "torch is not installed"),
        (["mcp", "."], '-m pip install "mcp>=2.0"'),
    ],
)
def test_what_is_not_installed_is_said_in_one_sentence(programs, command, said):
    done: subprocess.CompletedProcess[str] = release.start([programs / "personalq", *command])
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_comfyui_loads_every_node(host, archive):
    names = json.loads((archive / "locales" / "en" / "nodeDefs.json").read_text(encoding="utf-8"))
    nodes = host.get("/object_info")
    assert {
        name for name, node in nodes.items() if node["python_module"].endswith(".personalq")
    } == set(names)
    assert "IMPORT FAILED" not in host.log


def test_comfyui_reads_the_repository(host):
    assert host.get("/personalq/cards")["cards"]


def test_comfyui_serves_scripts_pictures_and_help(host, archive):
    web = archive / "web"
    for name in files_in(web):
        assert fetch(host, f"/extensions/personalq/{name}") == (web / name).read_bytes()


def test_comfyui_serves_templates_and_blueprints(host, archive):
    templates = {file.stem for file in (archive / "workflows").glob("*.json")}
    assert set(host.get("/workflow_templates")["personalq"]) == templates
    for file in (archive / "workflows").iterdir():
        assert fetch(host, f"/api/workflow_templates/personalq/{file.name}") == file.read_bytes()
    named = {blueprint["name"] for blueprint in host.get("/global_subgraphs").values()}
    assert {file.stem for file in (archive / "subgraphs").glob("*.json")} <= named


def test_comfyui_speaks_every_language_of_the_pack(host, archive):
    translated = host.get("/i18n")
    for language in (archive / "locales").iterdir():
        titles = json.loads((language / "nodeDefs.json").read_text(encoding="utf-8"))
        for name, node in titles.items():
            assert (
                translated[language.name]["nodeDefs"][name]["display_name"] == node["display_name"]
            )
