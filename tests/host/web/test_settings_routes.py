"""Test the settings over HTTP: what is offered and refused, and that the next run uses them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from personalq.tests.host.graphs import check_in, ran, said
from personalq.tests.int8 import presets_here


def test_changes_at_once_are_all_kept(ask, settings_file):
    changes = [{"prefer": "speed"}, {"questions": 0}, {"embedder": "off"}, {"reasoner": "ollama"}]
    with ThreadPoolExecutor() as pool:
        assert {
            status
            for status, _, _ in pool.map(
                lambda one: ask("POST", "/personalq/settings", one), changes
            )
        } == {200}
    values = ask("GET", "/personalq/settings")[1]["values"]
    assert all(values[name] == value for one in changes for name, value in one.items())


@pytest.mark.parametrize(
    "body",
    [
        {"history": False},
        {"prefer": "luxury"},
        {"prefer": None},
        {"questions": 3},
        {"questions": True},
        {"questions": "1"},
        {"reasoner": "http://evil.example"},
        {"embedder": "/tmp/model"},
        {"embedder": "../model"},
        {"leave_out": "loras"},
        {"leave_out": ["/etc"]},
        {"leave_out": ["loras/../../etc"]},
        {"leave_out": ["loras/bear", None]},
        {"leave_out": [["loras"]]},
        {"bases": "demo_base"},
        {"bases": {"sd15": "/etc/passwd"}},
        {"bases": {"sd15": None}},
        {"bases": {"flux1": "demo_base"}},
    ],
)
def test_a_setting_is_one_of_those_that_are_offered(ask, settings_file, body):
    status, answer, _ = ask("POST", "/personalq/settings", body)
    assert status == 400
    assert answer["error"]
    assert not settings_file.exists()


def test_settings_name_no_key_and_no_path(ask, host, settings_file):
    settings_file.parent.mkdir(parents=True, exist_ok=True)
    settings_file.write_text("embedder: /home/me/models/mine\nreasoner: gone\n")
    answer = ask("GET", "/personalq/settings")[1]
    assert answer["values"]["embedder"] is None
    assert answer["values"]["reasoner"] is None
    assert answer["offered"]["reasoner"][:2] == ["offline", "gemini"]
    assert "loras/bear" in answer["offered"]["leave_out"]
    assert "/home" not in json.dumps(answer)
    assert "KEY" not in json.dumps(answer)


def test_the_base_of_a_family_is_one_of_its_models(ask, settings_file):
    (offer,) = ask("GET", "/personalq/settings")[1]["offered"]["bases"]
    assert (offer["family"], offer["name"]) == ("sd15", "SD 1.5")
    assert {"demo_base", "dog_realistic"} <= {*offer["models"]}
    for name, written in (("dog_realistic", "bases:\n  sd15: dog_realistic\n"), ("", "")):
        status, answer, _ = ask("POST", "/personalq/settings", {"bases": {"sd15": name}})
        assert (status, answer["values"]["bases"]) == (200, {"sd15": name} if name else {})
        assert settings_file.read_text() == written
    settings_file.write_text("bases:\n  sd15: /home/me/mine\n")
    assert ask("GET", "/personalq/settings")[1]["values"]["bases"] == {"sd15": None}


def test_folders_that_are_left_out_are_not_looked_at(ask, host, total, settings_file):
    try:
        ask("POST", "/personalq/settings", {"leave_out": ["loras/bear", "checkpoints/person"]})
        assert ask("POST", "/personalq/rescan", {})[1]["total"] == total - 7
        entry = host.prompt(check_in("a bear on forest grass", reasoner="as in settings"), "client")
        assert said(entry)["outcome"] == "no_match"
        named = host.prompt(check_in("my latest realistic bear", repository="loras/bear"), "client")
        assert said(named)["card"]["name"] == "bear_realistic_v4", "by its own name it is looked at"
        graph = check_in(
            "my bear", repository="loras/bear", chosen="bear_realistic_v3; strength: 0.5"
        )
        assert said(host.prompt(graph, "client"))["card"]["name"] == "bear_realistic_v3"
    finally:
        settings_file.unlink()
    assert ask("POST", "/personalq/rescan", {})[1]["total"] == total


def test_a_folder_that_is_away_stays_left_out(ask, settings_file):
    settings_file.parent.mkdir(parents=True, exist_ok=True)
    settings_file.write_text("leave_out: [loras/on_another_disk]\n")
    values = ask("POST", "/personalq/settings", {"leave_out": ["loras/bear"]})[1]["values"]
    assert values["leave_out"] == ["loras/bear"]
    assert "loras/on_another_disk" in settings_file.read_text()


def test_the_limit_of_questions_holds_for_the_very_next_run(ask, host, settings_file):
    graph = check_in("a bear on forest grass")
    assert said(host.prompt(graph, "client"))["outcome"] == "clarify"
    ask("POST", "/personalq/settings", {"questions": 0})
    assert said(host.prompt(graph, "client"))["outcome"] == "select"


def test_hardware_preference_changes_the_plan_of_the_next_run(ask, host, settings_file):
    graph = check_in("my latest realistic bear on forest grass")
    balanced = said(host.prompt(graph, "client"))["serving"]
    ask("POST", "/personalq/settings", {"prefer": "speed"})
    fast = said(host.prompt(graph, "client"))["serving"]
    assert balanced["preset"] == fast["preset"] == presets_here()[0]
    assert fast["steps"] < balanced["steps"]


def test_the_reasoner_of_the_settings_is_asked(ask, host, settings_file):
    """It has no key here, which the decision says; with the node's own `offline` it is not
    asked.
    """
    ask("POST", "/personalq/settings", {"reasoner": "ollama"})
    request = "my bear 12"
    asked = said(host.prompt(check_in(request, reasoner="as in settings"), "client"))
    assert any(notice.startswith("ollama was not heard") for notice in asked["notices"])
    assert not any(
        "ollama" in notice for notice in said(host.prompt(check_in(request), "client"))["notices"]
    )


def test_a_language_model_that_was_not_heard_is_asked_again(ask, host, settings_file):
    ask("POST", "/personalq/settings", {"reasoner": "ollama"})
    graph = check_in("my bear 13", reasoner="as in settings")
    host.prompt(graph, "client")
    assert "2" in ran(host.prompt(graph, "client"))
    clear = check_in("my latest realistic bear on forest grass", reasoner="as in settings")
    host.prompt(clear, "client")
    assert "2" not in ran(host.prompt(clear, "client"))
    settings_file.with_name("reasoners.yaml").write_text("ollama:\n  model: another\n")
    assert "2" in ran(host.prompt(clear, "client"))


def test_the_embedder_of_the_settings_is_used(ask, host, settings_file):
    settings_file.parent.mkdir(parents=True, exist_ok=True)
    settings_file.write_text("embedder: no-such/embedder\n")
    entry = host.prompt(check_in("a bear on forest grass"), "client")
    assert "no-such/embedder" in json.dumps(entry["status"]["messages"])
