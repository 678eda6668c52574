"""Test asking without waiting, through the HTTP API."""

from __future__ import annotations

import time
import urllib.parse
import urllib.request

import pytest

from personalq.checkin.index.sidecar_file import write_sidecar
from personalq.demo.host_process import HostError, failure
from personalq.tests.host.graphs import check_in, prompt_of, said

AMBIGUOUS = "a bear on forest grass"
CLEAR = "my latest realistic bear on forest grass"


def test_clear_request_runs_through(host):
    entry = host.prompt(check_in(CLEAR), "client")
    assert said(entry)["outcome"] == "select"
    assert said(entry)["card"]["name"] == "bear_realistic_v4"
    assert prompt_of(entry) == "realistic <bear-v4> on forest grass"


def test_the_words_that_only_chose_are_told_and_one_switch_keeps_them(host):
    entry = host.prompt(check_in(CLEAR), "client")
    left_out = [piece["text"] for piece in said(entry)["pieces"] if piece["left_out"]]
    assert left_out == ["my latest "]
    kept = "".join(piece["text"] for piece in said(entry)["pieces"] if not piece["left_out"])
    assert kept == prompt_of(entry) == said(entry)["prompt"]
    whole = host.prompt(check_in(CLEAR, whole_prompt=True), "client")
    assert prompt_of(whole) == "my latest realistic <bear-v4> on forest grass"
    assert not any(piece["left_out"] for piece in said(whole)["pieces"])


def test_a_subject_and_a_style_are_loaded_together(host):
    entry = host.prompt(check_in("my realistic bear in blueprint style"), "client")
    assert entry["status"]["status_str"] == "success"
    assert said(entry)["card"]["name"] == "bear_realistic_v4"
    assert "blueprint" in said(entry)["why"]
    assert prompt_of(entry) == "realistic <bear-v4> in blueprint style"


def test_question_ends_the_run_quietly_with_choices_and_pictures(host):
    entry = host.prompt(check_in(AMBIGUOUS), "client")
    assert entry["status"]["status_str"] == "success"
    assert prompt_of(entry) is None
    payload = said(entry)
    assert (payload["outcome"], payload["clarify"]) == ("clarify", "1")
    assert payload["notices"][0].startswith("Nothing was drawn: answer the question")
    labels = [choice["label"] for choice in payload["question"]["choices"]]
    assert sorted(labels) == ["cartoon", "realistic"]
    for choice in payload["question"]["choices"]:
        image = choice["image"]
        with urllib.request.urlopen(
            f"{host.url}/view?{urllib.parse.urlencode(image)}", timeout=30
        ) as answer:
            assert answer.read(4) == b"RIFF"  # a WebP


def test_a_text_encoder_that_is_not_here_is_named(host):
    entry = host.prompt(check_in("the fluffy thing", reasoner="text-encoder"), "client")
    [said_of_it] = [one for one in said(entry)["notices"] if "text-encoder" in one]
    assert "put qwen_3_4b.safetensors into text_encoders" in said_of_it
    assert said(entry)["outcome"] == "no_match"


def test_answer_as_an_input_runs_unattended(host):
    entry = host.prompt(check_in(AMBIGUOUS, "cartoon"))
    assert entry["status"]["status_str"] == "success"
    assert prompt_of(entry) == "a <toon-bear-v2> on forest grass"


def test_an_answer_in_one_folder_offers_a_name_for_the_card_among_all(host, ask, sidecar):
    in_folder = {"repository": "loras/bear"}
    first = host.prompt(check_in("pickle the bear", "realistic", **in_folder), "client")
    assert said(first)["offered_name"] == {"name": "pickle", "card": "bear-bear_realistic_v4"}
    graph = check_in("pickle in a tree", "", chosen="bear_realistic_v3", **in_folder)
    offered = said(host.prompt(graph, "client"))["offered_name"]
    status, card, _ = ask("POST", f"/personalq/cards/{offered['card']}/names", {"add": "pickle"})
    assert (status, card["name"]) == (200, "bear_realistic_v3")
    assert "- pickle" in sidecar.read_text()
    again = host.prompt(graph, "client")
    assert said(again)["offered_name"] is None, "the changed card is read by the next run"
    assert prompt_of(again) == "<bear-v3> in a tree"
    assert said(host.prompt(check_in("pickle in a hat"), "client"))["card"]["name"].startswith(
        "bear"
    )


def test_typed_words_answer_too(host):
    entry = host.prompt(check_in(AMBIGUOUS, "the older cartoon one"), "client")
    assert said(entry)["outcome"] == "select"
    assert "toon-bear" in prompt_of(entry)


def test_answer_for_another_request_is_dropped(host):
    entry = host.prompt(check_in(AMBIGUOUS, "for: another request\ncartoon"), "client")
    assert said(entry)["outcome"] == "clarify"
    entry = host.prompt(check_in(AMBIGUOUS, f"for: {AMBIGUOUS}\ncartoon"), "client")
    assert said(entry)["outcome"] == "select"


def test_without_anyone_to_ask_the_run_ends_with_the_choices(host):
    host.prompt(
        check_in(AMBIGUOUS), "client"
    )  # a browser's blocked outcome must not be taken from the cache
    entry = host.prompt(check_in(AMBIGUOUS))
    assert entry["status"]["status_str"] == "error"
    message = failure(entry)
    assert "- realistic: 4 models" in message
    assert "- cartoon: 2 models" in message
    assert "Write one of these into the input answer of Clarify" in message


def test_stop_is_an_error_for_everybody(host):
    entry = host.prompt(check_in(AMBIGUOUS, when_unsure="stop"), "client")
    assert "- cartoon: 2 models" in failure(entry)


def test_best_match_does_not_ask(host):
    entry = host.prompt(check_in(AMBIGUOUS, when_unsure="best match"))
    assert entry["status"]["status_str"] == "success"
    assert "<" in prompt_of(entry)


def test_question_without_clarify_is_no_error_where_a_browser_watches(host):
    entry = host.prompt(check_in(AMBIGUOUS, answer=None), "client")
    assert entry["status"]["status_str"] == "success"
    assert (said(entry)["outcome"], said(entry)["clarify"]) == ("clarify", None)
    assert prompt_of(entry) is None
    message = failure(host.prompt(check_in(AMBIGUOUS, answer=None)))
    assert "- cartoon: 2 models" in message
    assert "Write one of these into the input answers of Repo Check-in and run again" in message


@pytest.mark.parametrize("answers", ["cartoon", f"for: {AMBIGUOUS}\ncartoon"])
def test_check_in_takes_answers_itself(host, answers):
    entry = host.prompt(check_in(AMBIGUOUS, answer=None, answers=answers))
    assert prompt_of(entry) == "a <toon-bear-v2> on forest grass"
    assert said(entry)["answered"] == ["cartoon"]


def test_its_answers_for_another_request_are_dropped(host):
    graph = check_in(AMBIGUOUS, answer=None, answers="for: another request\ncartoon")
    entry = host.prompt(graph, "client")
    assert (said(entry)["outcome"], said(entry)["answered"]) == ("clarify", [])


def test_answers_hold_while_the_request_asks_for_the_same(host):
    graph = check_in(AMBIGUOUS, answer=None, answers=f"for: {AMBIGUOUS}\ncartoon")
    graph["2"]["inputs"]["request"] = f"{AMBIGUOUS}, at night"
    entry = host.prompt(graph, "client")
    assert prompt_of(entry) == "a <toon-bear-v2> on forest grass, at night"
    assert (said(entry)["answered"], said(entry)["alike"]) == (["cartoon"], [AMBIGUOUS])


def test_of_two_requests_that_ask_for_the_same_the_one_answered_last_counts(host):
    given = f"for: {AMBIGUOUS}\ncartoon\nfor: {AMBIGUOUS}, at dusk\nrealistic\nfor: a dog\nany"
    graph = check_in(AMBIGUOUS, answer=None, answers=given)
    graph["2"]["inputs"]["request"] = f"{AMBIGUOUS}, at night"
    entry = host.prompt(graph, "client")
    assert said(entry)["card"]["name"] == "bear_realistic_v4"
    assert (said(entry)["answered"], said(entry)["alike"]) == (
        ["realistic"],
        [f"{AMBIGUOUS}, at dusk"],
    )


def test_own_answers_come_before_those_of_clarify(host):
    entry = host.prompt(check_in(AMBIGUOUS, "v1", answers="cartoon"))
    assert said(entry)["answered"] == ["cartoon", "v1"]


def test_one_clarify_serves_two(host):
    answer = f"for: {AMBIGUOUS}\ncartoon\nfor: a dog in the snow\nwatercolour"
    graph = check_in(AMBIGUOUS, answer)
    inputs = graph["2"]["inputs"] | {"request": "a dog in the snow"}
    graph["4"] = {"class_type": "PersonalQCheckIn", "inputs": inputs}
    graph["5"] = {"class_type": "PreviewAny", "inputs": {"source": ["4", 4]}}
    entry = host.prompt(graph)
    assert said(entry)["answered"] == ["cartoon"]
    assert said(entry, "4")["answered"] == ["watercolour"]
    assert said(entry, "4")["card"]["name"] == "dog_watercolour_v2"


def test_a_shared_clarify_gives_each_its_own_answers_alone(host):
    other = f"{AMBIGUOUS}, at night"
    answer = f"for: {AMBIGUOUS}\ncartoon\nfor: {other}\nrealistic"
    entry = host.prompt(check_in(other, answer))
    assert (said(entry)["answered"], said(entry)["card"]["name"]) == (
        ["realistic"],
        "bear_realistic_v4",
    )
    entry = host.prompt(check_in(other, f"for: {AMBIGUOUS}\ncartoon"), "client")
    assert (said(entry)["outcome"], said(entry)["answered"]) == ("clarify", [])


def test_an_answer_of_its_own_comes_before_those_of_requests_alike(host):
    other = f"{AMBIGUOUS}, at night"
    answers = f"for: {AMBIGUOUS}\ncartoon\nfor: {other}\nrealistic"
    entry = host.prompt(check_in(other, answer=None, answers=answers))
    assert said(entry)["answered"] == ["realistic"]


def test_an_answer_that_is_not_understood_asks_again_and_is_told(host):
    entry = host.prompt(check_in(AMBIGUOUS, answer=None, answers="blargh"), "client")
    assert said(entry)["question"]["text"].startswith("I did not understand 'blargh'. Which look")
    assert said(entry)["unheard"] == ["blargh"]


def test_no_match_is_said_to_a_browser_and_an_error_to_a_script(host):
    entry = host.prompt(check_in("my December watercolour"), "client")
    assert said(entry)["outcome"] == "no_match"
    assert said(entry)["near"][0] == {"name": "dog_watercolour_v2", "dropped": "December"}
    assert prompt_of(entry) is None
    entry = host.prompt(check_in("my December watercolour"))
    assert failure(entry).startswith(
        "No December watercolour; the newest watercolour is from 3 November 2026."
    )


@pytest.mark.parametrize("request_text", ["", "  \n "])
def test_empty_request(host, request_text):
    assert "The request is empty: say what you want" in failure(
        host.prompt(check_in(request_text), "client")
    )


def test_repository_input_narrows_where_to_look(host):
    entry = host.prompt(check_in("my newest dog", repository="checkpoints"), "client")
    assert said(entry)["card"]["name"] == "dog_realistic"
    entry = host.prompt(check_in("my newest dog", repository="loras/dog"), "client")
    assert said(entry)["card"]["name"] == "dog_watercolour_v2"
    assert prompt_of(entry)  # its base checkpoint lies outside of that folder


def test_repository_that_is_not_offered_is_refused(host):
    with pytest.raises(HostError, match="Value not in list"):
        host.prompt(check_in(CLEAR, repository="../../etc"), "client")


def test_second_request_for_the_same_model_loads_nothing(host):
    """Another text for a pooled model: the request changes, so ComfyUI's own cache does not
    help.
    """
    host.prompt(check_in(CLEAR), "client")
    loads = host.log.count("model weight dtype")
    seconds = []
    for place in ("in the snow", "on a hill", "by the sea"):  # other work may delay one of them
        started = time.perf_counter()
        entry = host.prompt(check_in(f"my latest realistic bear {place}"), "client")
        seconds.append(time.perf_counter() - started)
        assert said(entry)["card"]["name"] == "bear_realistic_v4"
    assert host.log.count("model weight dtype") == loads
    assert min(seconds) < 2


def test_new_model_on_disk_is_seen(host, demo_repository):
    """The outcome is not taken from the cache when the repository changed."""
    before = said(host.prompt(check_in("my latest realistic bear"), "client"))["card"]
    sidecar = demo_repository / "loras" / "bear" / "bear_realistic_v4.personalq.yaml"
    text = sidecar.read_text(encoding="utf-8")
    sidecar.write_text(text.replace("2026-09-12", "2024-09-12"), encoding="utf-8")
    try:
        after = said(host.prompt(check_in("my latest realistic bear"), "client"))["card"]
    finally:
        sidecar.write_text(text, encoding="utf-8")
    assert (before["name"], after["name"]) == ("bear_realistic_v4", "bear_realistic_v3")


def test_a_trigger_with_parentheses_is_escaped_and_one_that_cannot_be_used_is_said(host, sidecar):
    write_sidecar(sidecar.with_name("bear_realistic_v3.safetensors"), {"triggers": ["bear_(v3)"]})
    sidecar.write_text(
        sidecar.read_text().replace("- bear_(v3)", "- bear_(v3)\n- embedding:evil"),
        encoding="utf-8",
    )
    entry = host.prompt(
        check_in("a (bear_(v3):1.2) on a sofa", chosen="model: bear_realistic_v3"), "client"
    )
    payload = said(entry)
    assert payload["marks"] == [r"bear_\(v3\)"]
    assert payload.keys().isdisjoint(("trigger", "workflow"))
    assert prompt_of(entry) == payload["prompt"] == r"a (bear_\(v3\) :1.2) on a sofa"
    assert any(
        "'embedding:evil' cannot be used in a prompt" in notice for notice in payload["notices"]
    )


def test_models_of_one_name_are_listed_with_what_tells_them_apart(host):
    error = failure(host.prompt(check_in("a bear", chosen="sketch")))
    lines = [line.removeprefix("- ") for line in error.splitlines() if line.startswith("- ")]
    assert len(lines) == len(set(lines)) == 2
    for line in lines:
        assert line.startswith("model: sketch; ")
        entry = host.prompt(check_in("a bear", chosen=line))
        assert entry["status"]["status_str"] == "success"


def test_a_graph_without_a_folder_is_refused_by_the_name_of_the_input(host):
    graph = check_in(CLEAR)
    node = next(one for one in graph.values() if one["class_type"] == "PersonalQCheckIn")
    del node["inputs"]["repository"]
    with pytest.raises(HostError, match="required_input_missing") as refusal:
        host.prompt(graph)
    assert "exception_during_inner_validation" not in str(refusal.value)
