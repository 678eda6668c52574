"""OpenAI and every server that speaks its protocol (Ollama, LM Studio, llama.cpp, ...).

The vendor's client is used.
"""

from __future__ import annotations

import base64
from typing import Any

from ...lexicon.sentences import say
from ..limited import PLAIN, limit
from ..profile import Profile
from ..prompt import NoAnswer, Prompt, image_type, with_schema
from ..replies import MAX_TOKENS, parse_answer, refused, unreached


def answer(
    profile: Profile, key: str, prompt: Prompt, schema: dict[str, Any], seconds: float
) -> dict[str, Any]:
    """One attempt: the JSON object that the model answers. Raises NoAnswer.

    Not every server can force a model to follow a schema: if it refuses, JSON without a schema is
    asked for, then plain text, with the limit as OpenAI names it, whose models other addresses
    have, too.
    """
    try:
        import openai
    except ImportError:
        raise NoAnswer(
            say("the package {name} is not installed: pip install {name}", name="openai")
        ) from None
    http = openai.DefaultHttpxClient(
        follow_redirects=False,
        timeout=seconds,
        headers=PLAIN,
        event_hooks={"response": [limit]},
        trust_env=not profile.local,  # a proxy of the environment is for other machines
    )
    with openai.OpenAI(
        api_key=key, base_url=profile.base_url, max_retries=0, http_client=http
    ) as client:
        if profile.base_url:  # who the user is at OpenAI, by the environment, is for OpenAI
            client.organization = client.project = None
        for form in _forms(profile, schema):
            try:
                reply = client.chat.completions.create(**_request(profile, prompt, schema), **form)
                return _object(reply)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                refusal = _refused(error)
            except openai.APIStatusError as error:
                raise _refused(error) from None
            except openai.APITimeoutError:
                raise NoAnswer(say("it did not answer in time")) from None
            except openai.APIConnectionError as error:
                raise unreached(error.__cause__ or error) from None
            except (openai.OpenAIError, ValueError, RecursionError):
                raise NoAnswer(say("its answer is no valid reply")) from None
    raise refusal


def _forms(profile: Profile, schema: dict[str, Any]) -> list[dict[str, Any]]:
    strict = {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": schema},
    }
    of_openai = {"max_completion_tokens": MAX_TOKENS}
    limit = {"max_tokens": MAX_TOKENS} if profile.base_url else of_openai
    loose = {"type": "json_object"}
    return [{"response_format": strict, **limit}, {"response_format": loose, **limit}, of_openai]


def _request(profile: Profile, prompt: Prompt, schema: dict[str, Any]) -> dict[str, Any]:
    images = [
        {"type": "image_url", "image_url": {"url": _data_url(image)}} for image in prompt.images
    ]
    text = with_schema(prompt.text, schema)
    content: Any = [*images, {"type": "text", "text": text}] if images else text
    return {
        "model": profile.model,
        "messages": [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": content},
        ],
    }


def _data_url(image: bytes) -> str:
    return f"data:{image_type(image)};base64,{base64.b64encode(image).decode()}"


def _refused(error: Any) -> NoAnswer:
    code = error.status_code
    if code == 401:
        return NoAnswer(say("its key was refused ({code})", code=code))
    return refused(code, error.body, error.response.headers.get("retry-after"))


def _object(reply: Any) -> dict[str, Any]:
    if isinstance(reply, str):  # the page of another address, for example
        raise NoAnswer(say("its answer is no valid reply"))
    if not reply.choices:
        error = getattr(reply, "error", None)  # of OpenRouter and LM Studio
        raise refused(200, error) if error else NoAnswer(say("its answer is empty"))
    [choice, *_] = reply.choices
    if getattr(choice.message, "refusal", None) or choice.finish_reason == "content_filter":
        raise NoAnswer(say("it refused the request"))
    text, cut_off = _text(choice.message.content), choice.finish_reason == "length"
    # Some servers leave the thoughts in, which have no end where they were cut off.
    text = text.rpartition("</think>")[2].partition("<think>")[0]
    if not text.strip():
        raise NoAnswer(
            say("its answer is empty (cut off)") if cut_off else say("its answer is empty")
        )
    return parse_answer(text, cut_off)


def _text(content: Any) -> str:
    """The text of an answer. Mistral's models that think send it, and their thoughts, in parts."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part["type"] == "text")
    return content or ""
