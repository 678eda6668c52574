"""Gemini, through the vendor's client (google-genai)."""

from __future__ import annotations

import re
from typing import Any

from ...lexicon.sentences import say
from ..limited import PLAIN, limit
from ..profile import Profile
from ..prompt import NoAnswer, Prompt, image_type
from ..replies import MAX_TOKENS, parse_answer, refused, unreached


def answer(
    profile: Profile, key: str, prompt: Prompt, schema: dict[str, Any], seconds: float
) -> dict[str, Any]:
    """One attempt: the JSON object that the model answers. Raises NoAnswer."""
    try:
        from google import genai
        from google.genai import errors, types
    except ImportError:
        raise NoAnswer(
            say("the package {name} is not installed: pip install {name}", name="google-genai")
        ) from None
    import httpx2

    options = types.HttpOptions(
        base_url=profile.base_url,
        timeout=max(int(seconds * 1000), 1),
        retry_options=types.HttpRetryOptions(attempts=1),
        headers=PLAIN,
        client_args={
            "follow_redirects": False,
            "event_hooks": {"response": [limit]},
            "trust_env": not profile.local,  # a proxy of the environment is for other machines
        },
    )
    parts = [
        types.Part.from_bytes(data=image, mime_type=image_type(image)) for image in prompt.images
    ]
    config = types.GenerateContentConfig(
        system_instruction=prompt.system,
        response_mime_type="application/json",
        response_json_schema=schema,
        max_output_tokens=MAX_TOKENS,
        thinking_config=_thinking(profile.model),
    )
    # The client needs a name: it closes its connections when it is garbage-collected.
    client = genai.Client(api_key=key, vertexai=False, http_options=options)
    try:
        reply = client.models.generate_content(
            model=profile.model,
            contents=types.Content(
                role="user", parts=[*parts, types.Part.from_text(text=prompt.text)]
            ),
            config=config,
        )
    except errors.APIError as error:
        raise _refused(error) from None
    except httpx2.TimeoutException:
        raise NoAnswer(say("it did not answer in time")) from None
    except httpx2.HTTPError as error:
        raise unreached(error) from None
    except (ValueError, RecursionError):
        raise NoAnswer(say("its answer is no valid reply")) from None
    finally:
        client.close()
    return _object(reply)


def _thinking(model: str) -> Any:
    """The setting for as little thinking as the model allows, because the question is small.

    Older models take a budget, newer ones a level: all of them LOW, only the lite ones MINIMAL.
    """
    from google.genai import types

    name = model.removeprefix("models/")
    if name.startswith("gemini-2.5"):
        return types.ThinkingConfig(thinking_budget=128 if "-pro" in name else 0)
    if re.match(r"gemini-[12]\.", name):
        return None  # it does not think
    level = types.ThinkingLevel.MINIMAL if "flash-lite" in name else types.ThinkingLevel.LOW
    return types.ThinkingConfig(thinking_level=level)


def _refused(error: Any) -> NoAnswer:
    code = int(error.code or 0)
    if code in (400, 401, 403) and "key" in str(error.message or "").casefold():
        return NoAnswer(say("its key was refused ({code})", code=code))
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    return refused(code, error.message, headers.get("retry-after"))


def _object(reply: Any) -> dict[str, Any]:
    """The JSON object in a reply; raises NoAnswer for a blocked, empty or cut-off reply.

    The client itself raises nothing for these.
    """
    if reply.prompt_feedback and reply.prompt_feedback.block_reason:
        raise NoAnswer(
            say(
                "it refused the request ({why})",
                why=reply.prompt_feedback.block_reason.name.lower(),
            )
        )
    reasons = [
        candidate.finish_reason.name
        for candidate in reply.candidates or []
        if candidate.finish_reason
    ]
    if not reply.candidates or not reply.candidates[0].content or not reply.text:
        raise NoAnswer(
            say("its answer is empty ({why})", why=reasons[0].lower())
            if reasons
            else say("its answer is empty")
        )
    return parse_answer(reply.text, cut_off=reasons[:1] == ["MAX_TOKENS"])
