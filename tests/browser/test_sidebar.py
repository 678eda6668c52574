"""Test the tab with all models: search, view, edit, drag into a request.

Those that act on the canvas in both renderers.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect

from personalq.tests.browser.asking import CHECK_IN, CHOSEN, said

pytestmark = pytest.mark.beside_the_canvas

BASE = "demo_base"
"""A model without a trigger."""
HOSTILE = '<img src=x onerror="window.broken = 1"><b>bear</b>'


@pytest.fixture
def library(editor):
    """The editor with our tab open and nothing searched for."""
    editor.open_library()
    panel = editor.page.locator(".personalq-library")
    for field in panel.locator(".personalq-choices").locator("select, input").all():
        field.evaluate("(field) => { field.value = ''; field.dispatchEvent(new Event('change')); }")
    if panel.get_by_label("Style").is_hidden():
        panel.get_by_role("button", name="Filters").click()
    panel.get_by_role("button", name="All folders").click()
    panel.get_by_label("Search all models").fill("")
    expect(panel.get_by_role("status").first).to_have_text(re.compile(r"^\d+ models$"))
    yield panel
    for back in panel.get_by_role("button", name="All models").all():
        back.click()


def search(library, text: str, count: int) -> None:
    """Types into the search and waits until that many are found."""
    library.get_by_label("Search all models").fill(text)
    expect(library.get_by_role("status").first).to_have_text(
        re.compile(rf"^{count} of \d+ models$")
    )


def found(library, name: str):
    """Searches for one model; returns its tile.

    The count alone may be that of the search before.
    """
    search(library, name, 1)
    expect(library.locator(".personalq-label")).to_have_text([name])
    return library.locator(".personalq-open")


def open_card(library, name: str):
    """Opens the editor of a card."""
    found(library, name).click()
    form = library.get_by_role("form")
    expect(form).to_be_visible()
    return form


@pytest.mark.newest
def test_models_are_found_as_one_types_and_filtered(library):
    search(library, "toon-bear", 2)
    expect(library.locator(".personalq-label")).to_have_text(
        ["bear_cartoon_v2", "bear_cartoon_v1"]
    )  # newest first
    search(library, "toon-bear v2", 1)
    search(library, "zebra crossing", 0)
    search(library, "bear_", 6)
    library.get_by_label("Style").select_option("cartoon")
    expect(library.get_by_role("status").first).to_contain_text("2 of")
    library.get_by_label("To", exact=True).fill("2026-02-01")
    expect(library.locator(".personalq-label")).to_have_text(["bear_cartoon_v1"])


@pytest.mark.parametrize(
    ("words", "first", "why"),
    [
        ("watercolor", "dog_watercolour_v2", "style: watercolour"),
        ("baer", "bear_realistic_v4", "name: bear"),
        ("fluffy bear", "bear_realistic_v4", "name: bear"),
        ("my oldest cartoon bear", "bear_cartoon_v1", "name: cartoon, bear · order: oldest"),
        ("from december 2025", "anna", "made: December 2025"),
    ],
)
def test_a_search_understands_what_repo_check_in_does(library, words, first, why):
    library.get_by_label("Search all models").fill(words)
    tile = library.locator(".personalq-open").first
    expect(tile.locator(".personalq-label")).to_have_text(first)
    expect(tile.locator(".personalq-matched")).to_have_text(why)


def test_words_that_no_model_has_are_said_with_the_nearest_ones(library):
    search(library, "dgo", 0)
    expect(library.locator(".personalq-unmet")).to_contain_text("No model has: “dgo”")
    library.get_by_role("button", name="Search for dog instead").click()
    expect(library.get_by_label("Search all models")).to_have_value("dog")
    expect(library.locator(".personalq-label").first).to_contain_text("dog")
    expect(library.locator(".personalq-unmet button")).to_have_count(0)


def test_models_are_ordered_and_narrowed_to_a_folder(library):
    library.get_by_label("Order").select_option("name")
    expect(library.locator(".personalq-label").first).to_have_text(re.compile("^(ab98|anna)"))
    search(library, "bear", 6)
    expect(library.locator(".personalq-label").first).to_have_text("bear_cartoon_v1")
    library.get_by_label("Order").select_option("")
    library.get_by_label("Search all models").fill("")
    loras = library.locator("summary").filter(has_text=re.compile("^loras"))
    loras.click(position={"x": 4, "y": 8})
    library.get_by_role("button", name=re.compile("^bear 6")).click()
    expect(library.get_by_role("status").first).to_contain_text("6 of")
    expect(library.get_by_role("button", name="Filters (1)")).to_be_visible()
    library.get_by_label("Kind").select_option("checkpoint")
    expect(library.get_by_role("status").first).to_contain_text("0 of")


def test_favourites_are_kept(library, editor):
    tile = found(library, "bear_cartoon_v2")
    tile.hover()
    star = library.get_by_role("button", name="Favourite: bear_cartoon_v2")
    star.click()
    expect(star).to_have_attribute("aria-pressed", "true")
    library.get_by_label("Search all models").fill("")
    expect(library.get_by_role("status").first).to_have_text(re.compile(r"^\d+ models$"))
    library.get_by_label("Show").select_option("favourites")
    expect(library.locator(".personalq-label")).to_have_text(["bear_cartoon_v2"])
    library.locator(".personalq-open").focus()
    editor.page.keyboard.press("f")
    expect(star).to_have_attribute("aria-pressed", "false")
    library.get_by_label("Show").select_option("")
    library.get_by_label("Show").select_option("favourites")
    expect(library.get_by_role("status").first).to_contain_text("0 of")


def test_files_that_cannot_be_read_are_counted_with_the_reason(library, editor, demo_repository):
    broken = demo_repository / "loras" / "cut_off.safetensors"
    broken.write_bytes(b"short")
    try:
        library.get_by_role("button", name="Rescan").click()
        editor.open_library()
        library.get_by_text(re.compile("could not be read")).click()
        line = library.get_by_role("listitem").filter(has_text="cut_off.safetensors")
        expect(line).to_contain_text("copy or download it again")
    finally:
        broken.unlink()
        library.get_by_role("button", name="Rescan").click()
    expect(library.get_by_text("cut_off.safetensors")).to_have_count(0)


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_a_large_picture_comes_after_a_while(library, editor, how):
    tile = found(library, "bear_cartoon_v2")
    preview = editor.page.get_by_role("tooltip").filter(has_text="bear_cartoon_v2")
    if how == "mouse":
        tile.hover()
    else:
        library.get_by_label("Search all models").press("ArrowDown")
    expect(preview).to_be_visible()
    expect(preview).to_contain_text("<toon-bear-v2>")
    image = preview.locator("img")
    editor.page.wait_for_function("(image) => image.naturalWidth > 0", arg=image.element_handle())
    assert "large=1" in image.get_attribute("src")
    editor.page.keyboard.press("Escape") if how == "keyboard" else editor.page.mouse.move(900, 600)
    expect(preview).to_have_count(0)


def test_a_model_without_a_picture_shows_its_kind_and_initials(library):
    blank = found(library, "demo_base").locator(".personalq-blank")
    expect(blank).to_have_text("DBCheckpoint")
    expect(blank).to_be_visible()


def test_pictures_come_when_they_are_in_view(library, editor):
    search(library, "bear_", 6)
    image = library.locator(".personalq-open img").first
    editor.page.wait_for_function("(image) => image.naturalWidth > 0", arg=image.element_handle())
    assert "/personalq/thumbnails/" in image.get_attribute("src")


def test_only_what_is_in_view_is_on_the_page(library, editor):
    total = int(library.get_by_role("status").first.inner_text().split()[0])
    tiles = library.locator(".personalq-tile")
    expect(tiles.first).to_be_visible()
    assert 0 < tiles.count() < total
    last = library.get_by_role("listitem").and_(library.locator(f"[aria-posinset='{total}']"))
    expect(last).to_have_count(0)
    library.locator(".personalq-open").first.focus()
    editor.page.keyboard.press("End")
    expect(last.locator(".personalq-open")).to_be_focused()
    editor.page.keyboard.press("Home")
    expect(library.locator("[aria-posinset='1'] .personalq-open")).to_be_focused()


@pytest.mark.newest
def test_by_keyboard_alone(library, editor):
    search(library, "bear_", 6)
    library.locator(".personalq-open").first.focus()
    editor.page.keyboard.press("ArrowRight")
    editor.page.keyboard.press("ArrowDown")
    expect(library.locator("[aria-posinset='4'] .personalq-open")).to_be_focused()
    nodes = len(editor.saved()["nodes"])
    editor.page.keyboard.press("Delete")  # of the tab, not of the graph
    editor.page.keyboard.press("Enter")
    form = library.get_by_role("form")
    expect(form.get_by_role("button", name="All models")).to_be_focused()
    for label in ("Triggers", "Subjects", "Styles", "Description", "Lineage"):
        expect(form.get_by_label(label)).to_be_visible()
    editor.page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    assert len(editor.saved()["nodes"]) == nodes


def test_an_edit_goes_into_our_sidecar_and_says_so(library, sidecar):
    sidecar.write_text("# my notes\n" + sidecar.read_text())
    form = open_card(library, "bear_realistic_v3")
    form.get_by_label("Styles").fill("realistic, oil painting")
    form.get_by_label("Lineage").fill("")
    form.get_by_role("button", name="Save").click()
    expect(
        form.locator(".personalq-field", has_text="Styles").locator(".personalq-source")
    ).to_have_text("written by you")
    expect(form.get_by_role("button", name="Save")).to_be_enabled()
    written = sidecar.read_text()
    assert written.startswith("# my notes\n")
    assert "- oil painting" in written
    assert "lineage" not in written
    expect(
        form.locator(".personalq-field", has_text="Lineage").locator(".personalq-source")
    ).not_to_have_text("written by you")


def test_version_and_day_are_changed_and_saving_is_said(library, sidecar):
    form = open_card(library, "bear_realistic_v3")
    expect(form.get_by_label("Lineage")).to_have_value("bear realistic")
    form.get_by_label("Version").fill("3.5")
    form.get_by_label("Created").fill("2026-04-01")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("status")).to_have_text("Saved.")
    expect(form.get_by_role("button", name="Save")).to_be_focused()
    assert "version: '3.5'" in sidecar.read_text()
    expect(form.get_by_label("Created")).to_have_value("2026-04-01")


def test_the_card_knows_its_file(library, editor, demo_repository):
    editor.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    (file,) = demo_repository.rglob("heart_bag.safetensors")
    file.touch()  # a hash that was computed before is no longer known
    library.get_by_role("button", name="Rescan").click()
    editor.open_library()
    form = open_card(library, "heart_bag")
    expect(form.locator(".personalq-facts")).to_contain_text("kB")
    form.get_by_role("button", name="Compute").click()
    with file.open("rb") as data:
        expect(form.locator("code")).to_have_text(hashlib.file_digest(data, "sha256").hexdigest())
    form.get_by_role("button", name="Copy trigger").click()
    expect(form.get_by_role("status")).to_have_text("Copied.")
    assert editor.page.evaluate("() => navigator.clipboard.readText()") == "<heart-bag>"


def test_a_prompt_of_the_model_becomes_the_request(library, editor, demo_repository):
    (file,) = demo_repository.rglob("checker_taxi.safetensors")
    published = file.with_suffix(".civitai.info")
    assert not published.exists(), "the model has none of its own"
    image = {"url": "https://example.com/1.jpeg", "meta": {"prompt": "a taxi in the rain"}}
    published.write_text(json.dumps({"modelId": 7, "id": 8, "images": [image]}))
    try:
        editor.set_value(CHECK_IN, "request", "a realistic cat on the beach")
        form = open_card(library, "checker_taxi")
        expect(form.get_by_role("link", name="civitai.com")).to_have_attribute(
            "href", "https://civitai.com/models/7?modelVersionId=8"
        )
        form.get_by_role("button", name="Use this prompt").click()
        expect(editor.page.locator(".personalq-decision")).to_contain_text("checker_taxi")
    finally:
        published.unlink()
    request = editor.value(CHECK_IN, "request")
    assert request.endswith("in the rain")
    assert "taxi" in request
    assert editor.value(CHECK_IN, "chosen").startswith(f"for: {request}\nmodel: checker_taxi; ")


def test_a_dropped_card_beats_a_request_for_something_else(library, editor):
    editor.set_value(CHECK_IN, "request", "a realistic cat on the beach")
    editor.bring_into_view(CHECK_IN)
    editor.drag(found(library, "heart_bag"), editor.middle_of(CHECK_IN))
    assert said(editor.run())["card"]["name"] == "heart_bag"


def test_what_was_typed_in_a_card_is_left_only_after_a_question(library, editor, sidecar):
    form = open_card(library, "bear_realistic_v3")
    written = form.get_by_label("Description")
    before = written.input_value()
    written.fill("a bear with a hat")
    back = form.get_by_role("button", name="All models")
    back.click()
    asked = editor.page.get_by_role("dialog").filter(has_text="the card of bear_realistic_v3")
    expect(asked).to_contain_text("is not saved")
    editor.page.keyboard.press("Escape")
    expect(asked).to_have_count(0)
    expect(written).to_have_value("a bear with a hat")
    back.click()
    asked.get_by_role("button", name="Leave without saving").click()
    expect(form).to_have_count(0)
    open_card(library, "bear_realistic_v3")
    expect(written).to_have_value(before)
    written.fill("a bear with a hat")
    back.click()
    asked.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    assert "a bear with a hat" in sidecar.read_text()


def test_what_was_typed_in_a_card_outlasts_another_tab_of_the_sidebar(library, editor, sidecar):
    form = open_card(library, "bear_realistic_v3")
    form.get_by_label("Lineage").fill("bears")
    tab = editor.page.get_by_role("button", name="PersonalQ").first
    tab.click()
    expect(form).to_have_count(0)
    tab.click()
    expect(form.get_by_label("Lineage")).to_have_value("bears")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("status")).to_have_text("Saved.")
    form.get_by_role("button", name="All models").click()
    expect(library.locator(".personalq-label")).to_have_text(["bear_realistic_v3"])


def test_markup_in_a_card_is_shown_as_text(library, editor, sidecar):
    form = open_card(library, "bear_realistic_v3")
    form.get_by_label("Description").fill(HOSTILE)
    form.get_by_label("Subjects").fill(f"bear, {HOSTILE}")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("button", name="Save")).to_be_enabled()
    expect(form.get_by_label("Description")).to_have_value(HOSTILE)
    form.get_by_role("button", name="All models").click()
    library.get_by_role("button", name="Rescan").click()
    expect(library.locator("option", has_text="onerror")).to_have_count(1)
    assert not editor.page.locator("img[src='x'], .personalq-library b").count()
    assert editor.page.evaluate("() => window.broken") is None


def test_what_a_card_cannot_hold_is_said_and_not_written(library, editor, sidecar):
    before = sidecar.read_bytes()
    form = open_card(library, "bear_realistic_v3")
    form.get_by_label("Triggers").fill("<lora:other:1>")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_contain_text("it would load another model")
    assert sidecar.read_bytes() == before
    assert len(editor.errors) == 1
    assert "400" in editor.errors.pop(), "the browser says that the server refused"
    form.get_by_label("Triggers").fill("<bear-v3>")  # or leaving the card would ask


@pytest.mark.both_renderers
def test_a_card_dragged_onto_check_in_goes_into_its_request(library, editor):
    editor.set_value(CHECK_IN, "request", "a bear on forest grass")
    editor.bring_into_view(CHECK_IN)
    editor.drag(found(library, "bear_cartoon_v2"), editor.middle_of(CHECK_IN))
    editor.wait_for_value(CHECK_IN, "request", "a <toon-bear-v2> on forest grass")
    editor.drag(found(library, "bear_cartoon_v1"), editor.middle_of(CHECK_IN))
    editor.wait_for_value(CHECK_IN, "request", "a <toon-bear-v1> on forest grass")
    assert sum(node["type"] == CHECK_IN for node in editor.saved()["nodes"]) == 1


@pytest.mark.both_renderers
def test_a_dropped_card_is_chosen_for_its_request_until_a_click(library, editor):
    editor.set_value(CHECK_IN, "request", "realistic")
    editor.bring_into_view(CHECK_IN)
    editor.drag(found(library, "bear_cartoon_v2"), editor.middle_of(CHECK_IN))
    decision = editor.page.locator(".personalq-decision")
    expect(decision.get_by_role("status")).to_have_text("You chose bear_cartoon_v2.")
    chosen = editor.value(CHECK_IN, "chosen")
    assert chosen.startswith("for: realistic <toon-bear-v2>\nmodel: bear_cartoon_v2; ")
    assert editor.saved_node(CHECK_IN)["widgets_values"][CHOSEN] == chosen
    editor.page.wait_for_timeout(1000)  # the page saves its draft half a second after a change
    editor.reload()
    assert editor.value(CHECK_IN, "chosen") == chosen
    assert said(editor.run())["prompt"] == "realistic <toon-bear-v2>"
    expect(decision.get_by_text("Not used to choose the model: 'realistic'.")).to_be_visible()
    editor.run(decision.get_by_role("button", name="Decide again").click)
    assert editor.value(CHECK_IN, "chosen") == ""


@pytest.mark.both_renderers
def test_a_card_is_used_beside_what_is_chosen_for_the_same_request_and_no_other(library, editor):
    names = editor.page.locator(".personalq-model .personalq-label")
    editor.set_value(CHECK_IN, "request", "anna with a bag in the snow")
    expect(names).to_have_text(["anna"])
    open_card(library, "heart_bag").get_by_role("button", name="Use in request").click()
    editor.wait_for_value(CHECK_IN, "request", "anna with a <heart-bag> in the snow")
    expect(names).to_have_text(["anna", "heart_bag"])
    library.get_by_role("button", name="All models").click()
    use = open_card(library, "blueprint").get_by_role("button", name="Use in request")
    use.click()
    expect(names).to_have_text(["anna", "heart_bag", "blueprint"])
    request = "anna with a <heart-bag> in the snow blueprint style"
    assert editor.value(CHECK_IN, "request") == request
    undo = editor.page.get_by_role("button", name="Decide again")
    editor.set_value(CHECK_IN, "request", f"{request}, at night")
    expect(editor.page.locator(".personalq-prompt")).to_contain_text("at night")
    expect(names).to_have_text(["anna", "heart_bag", "blueprint"])
    expect(undo).to_be_visible()
    editor.set_value(CHECK_IN, "request", "my latest realistic bear on forest grass")
    expect(names).to_have_text(["bear_realistic_v4"])
    expect(undo).to_have_count(0)
    use.click()
    expect(names).to_have_text(["bear_realistic_v4", "blueprint"])


@pytest.mark.both_renderers
def test_a_card_dragged_onto_the_canvas_makes_a_check_in(library, editor):
    editor.load({"nodes": [], "links": [], "version": 0.4}, "empty")
    search(library, "bear_cartoon_v2", 1)
    editor.drag(library.locator(".personalq-open"), (900, 400))
    editor.wait_for_value(CHECK_IN, "request", "<toon-bear-v2>")
    assert len(editor.saved()["nodes"]) == 1


@pytest.mark.both_renderers
def test_a_button_does_what_dragging_does(library, editor):
    editor.set_value(CHECK_IN, "request", "something in the snow")
    form = open_card(library, "bear_cartoon_v2")
    form.get_by_role("button", name="Use in request").click()
    editor.wait_for_value(CHECK_IN, "request", "something in the snow <toon-bear-v2>")


def test_a_checkpoint_takes_the_place_and_the_words_of_another(library, editor):
    editor.set_value(CHECK_IN, "request", "something in the snow")
    open_card(library, "dog_realistic").get_by_role("button", name="Use in request").click()
    editor.wait_for_value(CHECK_IN, "request", "something in the snow sks dog")
    library.get_by_role("button", name="All models").click()
    open_card(library, BASE).get_by_role("button", name="Use in request").click()
    editor.wait_for_value(CHECK_IN, "request", "something in the snow")
    chosen = editor.value(CHECK_IN, "chosen").partition("for: something in the snow\n")[2]
    assert chosen.startswith(f"model: {BASE}; ")
    assert "\n" not in chosen, "the other request keeps its own"


def test_a_second_click_leaves_what_the_node_shows(library, editor):
    editor.set_value(CHECK_IN, "request", "something in the snow")
    use = open_card(library, "bear_cartoon_v2").get_by_role("button", name="Use in request")
    use.click()
    preview = editor.page.locator(".personalq-decision .personalq-preview")
    expect(preview).to_be_visible()
    with editor.page.expect_response("**/words"):
        use.click()
    editor.page.wait_for_timeout(1000)
    expect(preview).to_be_visible()


@pytest.mark.both_renderers
def test_a_second_click_makes_no_second_node(library, editor):
    editor.load({"nodes": [], "links": [], "version": 0.4}, "empty")
    form = open_card(library, "bear_cartoon_v2")
    held = []
    editor.page.route("**/words", lambda route: held.append(route))
    use = form.get_by_role("button", name="Use in request")
    use.click()
    use.click()
    editor.page.wait_for_timeout(300)
    for each in held:
        each.continue_()
    editor.wait_for_value(CHECK_IN, "request", "<toon-bear-v2>")
    editor.page.wait_for_timeout(300)
    editor.page.unroute("**/words")
    assert len(held) == 1
    assert len(editor.saved()["nodes"]) == 1


def test_a_rescan_finds_a_new_model_and_says_how_far_it_is(library, editor, demo_repository):
    bears = demo_repository / "loras" / "bear"
    new = bears / "a_new_one.safetensors"
    editor.page.evaluate(
        """async () => {
            const { api } = await import("/scripts/api.js");
            window.progress = [];
            api.addEventListener("personalq_rescan", ({ detail }) => window.progress.push(detail));
        }"""
    )
    shutil.copy(bears / "bear_cartoon_v1.safetensors", new)
    try:
        library.get_by_role("button", name="Rescan").click()
        editor.open_library()  # the scan has ended
        with editor.page.expect_response("**/personalq/thumbnails/*a_new_one") as picture:
            search(library, "a_new_one", 1)
        assert picture.value.status == 204, "there is none"
        expect(library.locator(".personalq-open img")).to_have_count(0)
    finally:
        new.unlink()
    done = editor.page.evaluate("() => window.progress.at(-1)")
    assert done["done"] == done["total"] > 1
    library.get_by_role("button", name="Rescan").click()
    expect(library.get_by_role("status").first).to_have_text(
        re.compile(r"^0 of \d+ models$"), timeout=60_000
    )


LATER = "() => { const now = Date.now; Date.now = () => now() + 30_000; }"
"""The focus looks for files at most every 20 s."""


def test_a_file_that_comes_is_shown_when_the_window_gets_the_focus(
    library, editor, demo_repository
):
    source = demo_repository / "loras" / "bear" / "bear_cartoon_v2.safetensors"
    new = source.with_name("newcomer.safetensors")
    tile = library.locator(".personalq-label", has_text="newcomer")
    for _ in range(2):  # the test before may have changed a file
        library.locator(".personalq-grid").evaluate("(grid) => { grid.scrollTop = 200; }")
        editor.page.evaluate(LATER)
        with editor.page.expect_response(lambda answer: answer.url.endswith("/personalq/rescan")):
            editor.page.evaluate("() => { window.dispatchEvent(new Event('focus')); }")
        editor.page.wait_for_timeout(500)
    place = library.locator(".personalq-grid").evaluate("(grid) => grid.scrollTop")
    assert place == 200, "where nothing is new, the tiles stay"
    try:
        shutil.copyfile(source, new)
        library.get_by_label("Order").select_option("newest")
        editor.page.evaluate(LATER)
        editor.page.evaluate("() => { window.dispatchEvent(new Event('focus')); }")
        expect(tile).to_be_visible()
        new.unlink()
        editor.page.evaluate("() => { app.refreshComboInNodes(); }")
        expect(tile).to_have_count(0)
    finally:
        new.unlink(missing_ok=True)
        library.get_by_label("Order").select_option("")
