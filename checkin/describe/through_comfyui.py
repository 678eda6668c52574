"""Descriptions by a running ComfyUI, which has the models and can draw pictures with them."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from ..llm.profile import on_this_machine

_PAUSE = 0.5
"""Seconds between two polls of the queue."""
_STRANGER = "what answers at {url} is no ComfyUI with PersonalQ: look at the address."


def describe_through(url: str, describer: str, again: bool, limit: int) -> tuple[str, int]:
    """Queue the node Describe Models at the ComfyUI at `url`, and wait for it.

    Returns its report, and how many models could not be described.

    Raises ValueError if no ComfyUI with the node answers, and with ComfyUI's reason if it refuses
    or fails.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError(f"'{url}' is no address of a ComfyUI; write http://127.0.0.1:8188")
    inputs = {
        "repository": "all models",
        "describer": describer,
        "models": "described by a program" if again else "not described",
        "pictures": 2,
        "side": 512,
        "limit": limit,
    }
    try:
        return _described(url, inputs)
    except (LookupError, TypeError, AttributeError):  # another program, with answers of its own
        raise ValueError(_STRANGER.format(url=url)) from None


def _described(url: str, inputs: dict[str, Any]) -> tuple[str, int]:
    graph = {
        "1": {"class_type": "PersonalQDescribe", "inputs": inputs},
        "2": {"class_type": "PreviewAny", "inputs": {"source": ["1", 0]}},
    }
    prompt_id = _call(url, "/prompt", {"prompt": graph})["prompt_id"]
    while not (entry := _call(url, f"/history/{prompt_id}").get(prompt_id)):
        queue = _call(url, "/queue")
        waits = [one[1] for one in (*queue["queue_running"], *queue["queue_pending"])]
        # It may have ended between the two looks.
        if prompt_id not in waits and prompt_id not in _call(url, f"/history/{prompt_id}"):
            raise ValueError("the run was removed from ComfyUI's queue")
        time.sleep(_PAUSE)
    if entry["status"]["status_str"] != "success":
        said = [str(event[1].get("exception_message", "")) for event in entry["status"]["messages"]]
        raise ValueError(
            f"ComfyUI stopped: {' '.join(filter(None, said)).strip() or 'it was interrupted'}"
        )
    outputs = entry["outputs"]
    return str(outputs["2"]["text"][0]), int(outputs["1"]["personalq"][0]["failed"])


def _call(url: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(
        url.rstrip("/") + path, data, {"Content-Type": "application/json"}
    )
    proxies = urllib.request.ProxyHandler({} if on_this_machine(url) else None)  # the environment's
    opener = urllib.request.build_opener(proxies)
    try:
        with opener.open(request, timeout=60) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        raise ValueError(f"ComfyUI refused: {_reasons(error.read())}") from None
    except (OSError, HTTPException) as error:
        raise ValueError(f"no ComfyUI answers at {url} ({error})") from None
    except ValueError:  # no JSON
        raise ValueError(_STRANGER.format(url=url)) from None


def _reasons(body: bytes) -> str:
    """What ComfyUI says is wrong with a graph."""
    try:
        said = json.loads(body)
        found = [one["details"] for node in said["node_errors"].values() for one in node["errors"]]
        return "; ".join(found) or said["error"]["message"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return "is PersonalQ installed there?"
