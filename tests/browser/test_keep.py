"""Test what is kept of a run: its picture as a preview, its models as a recipe; and large pictures.

In both renderers.
"""

from __future__ import annotations

import json
import shutil

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import CHECK_IN, said

REQUEST = "the checker taxi in blueprint style"
PROMPT = "a <taxi> in the rain"


@pytest.fixture
def taxi(editor, demo_repository):
    """The file of a model that has a picture of another name; afterwards it has that alone."""
    (file,) = demo_repository.rglob("checker_taxi.safetensors")
    yield file
    file.with_suffix(".preview.png").unlink(missing_ok=True)


@pytest.fixture
def example(taxi):
    """A prompt that the model's page shows."""
    published = taxi.with_suffix(".civitai.info")
    image = {"url": "https://example.com/1.jpeg", "meta": {"prompt": PROMPT}}
    published.write_text(json.dumps({"modelId": 7, "id": 8, "images": [image]}))
    yield
    published.unlink()


def decide(editor) -> dict:
    editor.set_value(CHECK_IN, "request", REQUEST)
    return said(editor.run())


def look(editor, name: str):
    return editor.page.get_by_role("button", name=f"Large picture of {name}")


def large(editor):
    return editor.page.locator(".personalq-large-preview")


def test_an_example_prompt_becomes_the_request_in_one_step(editor, example):
    decide(editor)
    look(editor, "checker_taxi").hover()
    dialog = editor.page.get_by_role("dialog", name="checker_taxi")
    expect(dialog).to_contain_text(PROMPT)
    image = dialog.locator("img")
    editor.page.wait_for_function("(image) => image.naturalWidth > 0", arg=image.element_handle())
    dialog.get_by_role("button", name="Use this prompt").click()
    expect(large(editor)).to_have_count(0)
    assert editor.value(CHECK_IN, "request") == PROMPT
    chosen = editor.value(CHECK_IN, "chosen").split("\n")
    assert chosen[0] == f"for: {PROMPT}"
    assert [line.split(";")[0] for line in chosen[1:]] == [
        "model: checker_taxi",
        "model: blueprint",
    ]
    editor.page.wait_for_timeout(300)
    editor.hold("Control+z")
    editor.page.wait_for_timeout(500)
    assert editor.value(CHECK_IN, "request") == REQUEST
    assert editor.value(CHECK_IN, "chosen") == ""


@pytest.mark.beside_the_canvas
def test_the_large_picture_and_its_buttons_are_reached_by_keyboard(editor, example):
    decide(editor)
    look(editor, "checker_taxi").focus()
    editor.page.keyboard.press("Shift+Tab")
    editor.page.keyboard.press("Tab")
    expect(look(editor, "checker_taxi")).to_be_focused()
    expect(large(editor)).to_be_visible()
    editor.page.keyboard.press("Tab")
    expect(large(editor).get_by_role("button").first).to_be_focused()
    editor.page.keyboard.press("Escape")
    expect(large(editor)).to_have_count(0)
    expect(look(editor, "checker_taxi")).to_be_focused()


@pytest.mark.beside_the_canvas
def test_the_picture_of_a_run_becomes_the_preview_after_a_question(editor, taxi):
    decide(editor)
    written = taxi.with_suffix(".preview.png")
    look(editor, "checker_taxi").hover()
    button = large(editor).get_by_role("button", name="Make the new picture its preview")
    button.click()
    confirm = editor.page.get_by_role("dialog").filter(
        has_text="checker_taxi has a picture already"
    )
    confirm.get_by_role("button", name="Cancel").click()
    assert not written.exists()
    editor.page.mouse.move(1300, 850)
    look(editor, "checker_taxi").hover()
    button.click()
    confirm.get_by_role("button", name="Confirm").click()
    expect(editor.toasts.first).to_contain_text("is now the preview of checker_taxi")
    assert written.read_bytes()[:4] == b"\x89PNG"
    editor.page.locator(".p-toast-close-button").first.click()


@pytest.fixture
def no_recipes(host):
    """The folder of the recipes, empty before and after."""
    folder = host.base_directory / "user" / "__personalq" / "recipes"
    shutil.rmtree(folder, ignore_errors=True)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.beside_the_canvas
def test_the_name_of_a_recipe_ends_with_a_word(editor):
    editor.set_value(CHECK_IN, "request", f"{REQUEST}, on a wide avenue")
    editor.page.get_by_role("button", name="Keep as a recipe").click()
    name = editor.page.get_by_role("dialog").get_by_role("textbox")
    expect(name).to_have_value(f"{REQUEST}, on")
    editor.page.keyboard.press("Escape")


@pytest.mark.beside_the_canvas
def test_a_recipe_is_kept_used_changed_and_deleted(editor, no_recipes):
    decide(editor)
    editor.page.get_by_role("button", name="Keep as a recipe").click()
    editor.page.get_by_role("dialog").get_by_role("textbox").fill("Blue taxi")
    editor.page.keyboard.press("Enter")
    expect(editor.toasts.first).to_contain_text("Blue taxi")
    editor.page.locator(".p-toast-close-button").first.click()
    editor.set_value(CHECK_IN, "request", "something else")
    editor.open_library()
    library = editor.page.locator(".personalq-library")
    library.get_by_label("Show").select_option("Recipes")
    expect(library.locator(".personalq-label")).to_have_text(["Blue taxi"])
    tile = library.locator(".personalq-open")
    tile.click()
    expect(editor.page.locator(".personalq-decision")).to_contain_text("blueprint")
    assert editor.value(CHECK_IN, "request") == REQUEST
    assert (
        "\n".join(line.split(";")[0] for line in editor.value(CHECK_IN, "chosen").split("\n"))
        == f"for: {REQUEST}\nmodel: checker_taxi\nmodel: blueprint"
    )
    editor.set_value(CHECK_IN, "request", f"{REQUEST}, at night")
    used = said(editor.run())
    assert [one["name"] for one in used["models"]] == ["checker_taxi", "blueprint"]
    tile.focus()
    editor.page.keyboard.press("f")
    form = library.get_by_role("form")
    with editor.page.expect_download() as download:
        form.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "Blue taxi.recipe.json"
    file = json.loads(download.value.path().read_text("utf-8"))
    assert (file["name"], file["request"]) == ("Blue taxi", REQUEST)
    form.locator("input[name=name]").fill("Night taxi")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("status")).to_have_text("Saved.")
    form.get_by_role("button", name="All models").click()
    expect(library.locator(".personalq-label")).to_have_text(["Night taxi"])
    expect(tile).to_be_focused()
    editor.page.keyboard.press("f")
    form.get_by_role("button", name="Delete").click()
    sure = editor.page.get_by_role("dialog").filter(has_text="Night taxi")
    sure.get_by_role("button", name="Delete").click()
    expect(library.locator(".personalq-label")).to_have_count(0)
    drop(editor, library, {**file, "models": ["model: nobody_v9"]})
    expect(library.locator(".personalq-label")).to_have_text(["Blue taxi"])
    expect(library.locator(".personalq-matched")).to_have_text("not here: nobody_v9")
    editor.bring_into_view(CHECK_IN)
    nodes = len(editor.saved()["nodes"])
    editor.drag(tile, (1300, 560))
    editor.page.wait_for_function("(before) => app.graph.nodes.length > before", arg=nodes)
    tile.focus()
    editor.page.keyboard.press("f")
    form.get_by_role("button", name="Delete").click()
    editor.page.get_by_role("dialog").last.get_by_role("button", name="Delete").click()
    expect(library.locator(".personalq-label")).to_have_count(0)
    library.get_by_label("Show").select_option("All")


def drop(editor, library, recipe: dict) -> None:
    """Drops the file of a recipe onto the tab."""
    data = editor.page.evaluate_handle(
        """(text) => {
            const data = new DataTransfer();
            data.items.add(new File([text], "taxi.recipe.json", { type: "application/json" }));
            return data;
        }""",
        json.dumps(recipe),
    )
    library.dispatch_event("drop", {"dataTransfer": data})


@pytest.mark.beside_the_canvas
def test_words_that_fit_nothing_have_the_nearest_ones_as_buttons(editor):
    editor.set_value(CHECK_IN, "request", "a brea on the beach")
    payload = said(editor.run())
    assert payload["outcome"] == "no_match"
    assert payload["near_words"] == [["brea", ["bear"]]]
    near = editor.page.locator(".personalq-near")
    expect(near).to_contain_text("Your models have:")
    near.get_by_role("button", name="Search for bear instead").click()
    assert editor.value(CHECK_IN, "request") == "a bear on the beach"
