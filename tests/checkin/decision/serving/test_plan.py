"""Test the serving plan: what decides it, and that it never changes the chosen model."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalq.checkin import Card, Repository, check_in
from personalq.checkin.decision.serving.plan import serving_plan
from personalq.checkin.decision.serving.quantizable import TAQ_RUNS
from personalq.checkin.decision.serving.record import IntentRecord
from personalq.checkin.language.intent import Intent
from personalq.checkin.lexicon.base_models import covers, known_family
from personalq.checkin.user.context import Context, Hardware
from personalq.checkin.user.history import Use
from personalq.checkin.user.preferences import PREFER
from personalq.tests.checkin.request_set import REQUESTS
from personalq.tests.checkin.world import NOW, cards

REPOSITORY = Repository(cards(), embedder=None)
CARD = Card("bear", "/models/bear.safetensors")


def plan(request: str = "a bear", card: Card = CARD, **context):
    return serving_plan(Intent(request), card, Context(**context), NOW)


def test_without_any_reason_eight_bits_and_a_final_picture():
    made = plan()
    assert (made.preset, made.stage, made.steps) == ("W8A8", "final", 25)


@pytest.mark.parametrize(
    ("request_text", "preset", "stage"),
    [
        ("a quick bear", "W8A8", "preview"),
        ("my bear on grass, quick", "W8A8", "preview"),
        ("give me a quick look at my bear", "W8A8", "preview"),
        ("bear, just a draft", "W8A8", "preview"),
        ("a bear, low vram", "W4A8", "final"),
        ("my bear on grass with little memory", "W4A8", "final"),
        ("bear in final quality", "none", "final"),
        ("a bear for print", "none", "final"),
        ("a bear, make it fast", "W8A8", "preview"),
    ],
)
def test_the_request_comes_first(request_text, preset, stage):
    used = (Use(NOW - timedelta(minutes=1), "bear", "W8A8"),)
    made = plan(request_text, prefer="balanced", history=used if stage == "preview" else ())
    assert (made.preset, made.stage) == (preset, stage)
    assert "the request says" in made.why


@pytest.mark.parametrize(
    ("request_text", "preset", "stage", "words"),
    [
        ("schnelle Vorschau von meinem Hund", "W8A8", "preview", "schnelle Vorschau"),
        ("un aperçu rapide de mon chien", "W8A8", "preview", "un aperçu rapide"),
        ("una vista previa de mi perro", "W8A8", "preview", "una vista previa"),
        ("犬のプレビュー", "W8A8", "preview", "プレビュー"),
        ("mein Hund mit wenig Speicher", "W4A8", "final", "wenig Speicher"),
        ("mein Hund in bester Qualität", "none", "final", "bester Qualität"),
    ],
)
def test_it_is_said_in_any_language(request_text, preset, stage, words):
    made = check_in(request_text, REPOSITORY, now=NOW, best_match=True).serving
    assert (made.preset, made.stage) == (preset, stage)
    assert f"the request says '{words}'" in made.why


@pytest.mark.parametrize(
    "request_text",
    [
        "a fast car",
        "a draft horse",
        "final fantasy bear",
        "rough seas",
        "draft beer",
        "my bear and the quick brown fox",
        "my bear on the quick train",
        "my dog running quickly through the snow",
    ],
)
def test_things_to_draw_are_no_haste(request_text):
    assert (plan(request_text).preset, plan(request_text).stage) == ("W8A8", "final")


def test_a_preset_that_is_none_is_not_taken_from_the_history():
    assert plan(history=(Use(NOW - timedelta(days=1), "bear", "W1A1"),)).preset == "W8A8"


def test_a_loras_base_is_what_must_fit(tmp_path: Path):
    base = tmp_path / "base.safetensors"
    base.write_bytes(b"\0" * 1000)
    context = Context(Hardware("cuda", free=400))
    made = serving_plan(
        Intent("a bear"), Card("lora", kind="lora"), context, NOW, Card("base", str(base))
    )
    assert made.preset == "W4A8"


@pytest.mark.parametrize(
    ("prefer", "preset"), [("speed", "W8A8"), ("balanced", "W8A8"), ("quality", "none")]
)
def test_preference(prefer, preset):
    assert plan(prefer=prefer).preset == preset


@pytest.mark.parametrize(
    ("request_text", "prefer", "free", "preset"),
    [
        ("a bear", "balanced", None, "W8"),
        ("a bear", "speed", None, "W8"),
        ("a preview of a bear, low memory", "balanced", None, "W4"),
        ("a bear", "quality", 2000, "none"),
        ("a bear", "quality", 800, "W8"),
        ("a bear", "quality", 1, "W4"),
    ],
)
def test_weights_alone_where_the_device_multiplies_no_int8(
    tmp_path: Path, request_text, prefer, free, preset
):
    path = tmp_path / "bear.safetensors"
    path.write_bytes(b"\0" * 1000)
    hardware = Hardware("mps", free=free, int8=False)
    made = plan(request_text, card=Card("bear", str(path)), prefer=prefer, hardware=hardware)
    assert made.preset == preset


@pytest.mark.parametrize("family", ["flux1", "qwen-image", "z-image", "kolors", "mynet-3"])
def test_what_taq_does_not_run_is_not_planned_to_be_quantized(family):
    for request_text in ("a bear", "a quick bear"):
        made = plan(request_text, card=Card("bear", base_model=family), prefer="speed")
        assert made.preset == "none"
        assert made.why.startswith("TAQ runs SD 1.5, SDXL, Anima and Wan, not ")


@pytest.mark.parametrize(
    "family", ["sd15", "pony", "noobai", "anima", "wan22-14b", "wan21-1.3b", "wan22-5b", None]
)
def test_what_taq_runs_is_planned_in_8_bits(family):
    assert plan(card=Card("bear", base_model=family)).preset == "W8A8"


def test_the_base_models_that_taq_runs_are_its_families():
    families = pytest.importorskip("personalq.taq_kernels.families")
    known = [known_family(one.host_config) for one in families.FAMILIES]
    assert [next(run for run in TAQ_RUNS if covers(run, one)) for one in known] == list(TAQ_RUNS)


def test_a_preset_that_was_picked_by_hand_for_this_model_stays():
    uses = (
        Use(NOW - timedelta(days=2), "bear", "W4A8"),
        Use(NOW - timedelta(days=1), "dog", "W8A8"),
    )
    made = plan(history=uses, prefer="quality")
    assert made.preset == "W4A8"
    assert "you picked it" in made.why


def test_a_model_that_was_just_used_is_being_tried_out():
    again = plan(history=(Use(NOW - timedelta(minutes=3), "bear"),))
    assert again.stage == "preview"
    assert again.steps == plan().steps, (
        "the same workflow draws the same picture when it runs again"
    )
    assert plan(history=(Use(NOW - timedelta(hours=3), "bear"),)).stage == "final"
    assert plan(history=(Use(NOW - timedelta(minutes=3), "dog"),)).stage == "final"


@pytest.mark.parametrize(
    ("free", "preset"), [(2000, "none"), (800, "W8A8"), (400, "W4A8"), (1, "W4A8")]
)
def test_the_largest_that_fits_into_free_memory(tmp_path: Path, free, preset):
    path = tmp_path / "bear.safetensors"
    path.write_bytes(b"\0" * 1000)
    made = plan(
        card=Card("bear", str(path)), prefer="quality", hardware=Hardware("cuda", free=free)
    )
    assert made.preset == preset
    assert ("would not fit" in made.why) == (preset != "none")


def test_models_made_for_few_steps():
    assert plan(card=Card("x", "/m/sdxl_turbo_bear.safetensors")).steps == 4


CONTEXTS = st.builds(
    Context,
    hardware=st.none()
    | st.builds(Hardware, st.sampled_from(["cuda", "cpu"]), free=st.none() | st.integers(0, 2**40)),
    prefer=st.sampled_from(PREFER),
    history=st.lists(
        st.builds(
            Use,
            st.datetimes(min_value=NOW.replace(tzinfo=None) - timedelta(days=9)).map(
                lambda d: d.replace(tzinfo=NOW.tzinfo)
            ),
            st.sampled_from([card.id for card in REPOSITORY.cards]),
            st.sampled_from([None, "W8A8", "W4A8"]),
        ),
        max_size=5,
    ).map(tuple),
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([text for text, _ in REQUESTS]), CONTEXTS)
def test_context_never_changes_which_model_is_meant(request_text, context):
    plain = check_in(request_text, REPOSITORY, now=NOW)
    served = check_in(request_text, REPOSITORY, now=NOW, context=context)
    for part in ("outcome", "card", "base", "prompt", "question", "near", "why", "intent"):
        assert getattr(plain, part) == getattr(served, part)


def test_the_record_has_both_parts_in_the_users_words():
    context = Context(Hardware("cuda", "a card", 8 * 2**30), "speed")
    decision = check_in(
        "my latest realistic bear, not the cartoon one", REPOSITORY, now=NOW, context=context
    )
    record = IntentRecord(decision.intent, decision.context).as_dict()
    words = {(one["kind"], one["words"]) for one in record["user"]["constraints"]}
    assert words == {("subject", "bear"), ("style", "realistic"), ("unwanted", "not cartoon")}
    assert record["user"]["order"] == "latest"
    assert record["system"]["prefer"] == "speed"
    assert record["system"]["hardware"]["device"] == "cuda"
