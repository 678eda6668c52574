"""Test profiles and keys: what users may change, and what a file must not do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from personalq.checkin.llm import NoAnswer, Profile, load_profiles, profile_named
from personalq.checkin.llm.keys import key_of


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("PERSONALQ_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_built_in_profiles():
    found = load_profiles()
    assert found["gemini"].model == "gemini-3.5-flash-lite"
    assert found["gemini-2.5-flash"].model == "gemini-2.5-flash"
    assert {name for name, profile in found.items() if profile.local} == {
        "ollama",
        "lm-studio",
        "llama.cpp",
        "text-encoder",
    }


def test_users_change_models_and_add_servers(tmp_path):
    (tmp_path / "reasoners.yaml").write_text(
        "ollama:\n  model: qwen2.5vl:72b\nmine:\n  protocol: openai\n  base_url: https://llm.example/v1\n"
        "  model: big\n  key: MY_KEY\n  vision: no\n"
    )
    found = load_profiles(tmp_path)
    assert (found["ollama"].model, found["ollama"].base_url) == (
        "qwen2.5vl:72b",
        "http://127.0.0.1:11434/v1",
    )
    assert found["mine"] == Profile(
        "mine", "openai", "big", "https://llm.example/v1", ("MY_KEY",), vision=False
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mine:\n  model: x\n  base_url: http://llm.example/v1\n", "unencrypted"),
        ("mine:\n  model: x\n  base_url: file:///etc/passwd\n", "no http or https"),
        ("mine:\n  model: x\n  base_url: https://me:pw@llm.example\n", "password"),
        ("mine:\n  model: x\n  protocol: telnet\n", "gemini or openai"),
        ("mine:\n  base_url: https://llm.example\n", "no `model`"),
        ("mine:\n  model: x\n  api_key: secret\n", "unknown: api_key"),
        (
            "mine:\n  model: x\n  key: gsk_1aBc2\n",
            r"name of an environment variable, .*secrets\.yaml$",
        ),
        ("mine:\n  model: x\n  key:\n", "name of an environment variable"),
        ("offline:\n  model: x\n", "no name"),
        ("mine: x\n", "expected"),
    ],
)
def test_a_profile_that_cannot_be_used_is_refused_with_the_reason(tmp_path, text, said):
    (tmp_path / "reasoners.yaml").write_text(text)
    with pytest.raises(ValueError, match=said):
        load_profiles(tmp_path)


def test_an_unknown_name_lists_those_there_are():
    with pytest.raises(ValueError, match="no reasoner 'magic'; there is: offline, gemini"):
        profile_named("magic")


def test_keys_from_the_environment_in_order(monkeypatch, tmp_path):
    gemini = profile_named("gemini")
    with pytest.raises(NoAnswer, match="set GEMINI_API_KEY or PERSONALQ_API_KEY_GEMINI"):
        key_of(gemini, tmp_path)
    monkeypatch.setenv("PERSONALQ_API_KEY_GEMINI", "own")
    assert key_of(gemini, None) == "own"
    monkeypatch.setenv("GOOGLE_API_KEY", "google")
    assert key_of(gemini, None) == "google"
    monkeypatch.setenv("GEMINI_API_KEY", "gemini")
    assert key_of(gemini, None) == "gemini"


def test_the_key_for_any_reasoner_goes_only_to_that_of_the_settings(monkeypatch, tmp_path):
    monkeypatch.setenv("PERSONALQ_API_KEY", "any")
    for settings in (None, tmp_path):
        with pytest.raises(NoAnswer, match="no key is set"):
            key_of(profile_named("gemini"), settings)
    (tmp_path / "settings.yaml").write_text("reasoner: gemini\n")
    assert key_of(profile_named("gemini"), tmp_path) == "any"
    with pytest.raises(NoAnswer, match="no key is set"):
        key_of(profile_named("openai"), tmp_path)
    (tmp_path / "settings.yaml").write_text("reasoner: llama.cpp\n")
    assert key_of(profile_named("llama.cpp"), tmp_path) != "any", "whatever listens there reads it"


def test_a_server_on_this_machine_needs_no_key(tmp_path):
    assert key_of(profile_named("ollama"), tmp_path)


def test_a_key_that_cannot_be_sent_is_said(tmp_path, monkeypatch):
    for key in ("sk\u2014part", "sk\npart"):
        monkeypatch.setenv("GEMINI_API_KEY", key)
        with pytest.raises(NoAnswer, match="a character that no key has") as caught:
            key_of(profile_named("gemini"), tmp_path)
        assert "part" not in str(caught.value)


def test_a_file_of_keys_of_another_user_ends_no_decision(tmp_path, monkeypatch):
    path = tmp_path / "secrets.yaml"
    path.touch(0o600)

    def denied(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", denied)
    with pytest.raises(NoAnswer, match="cannot be read"):
        key_of(profile_named("gemini"), tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")
def test_the_file_of_keys_must_be_its_owners_alone(tmp_path):
    path = tmp_path / "secrets.yaml"
    path.write_text("gemini: from-the-file\n")
    path.chmod(0o644)
    with pytest.raises(NoAnswer, match="chmod 600") as caught:
        key_of(profile_named("gemini"), tmp_path)
    assert "from-the-file" not in str(caught.value)
    path.chmod(0o600)
    assert key_of(profile_named("gemini"), tmp_path) == "from-the-file"
    path.write_text("gemini: [oops: from-the-file\n")
    with pytest.raises(NoAnswer, match="cannot be read") as caught:
        key_of(profile_named("gemini"), tmp_path)
    assert "from-the-file" not in str(caught.value)
