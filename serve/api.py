"""The HTTP interface: requests, jobs, their progress and pictures, and a page to try it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, FastAPI, Header, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from ..checkin.lexicon.sentences import again, say, speaking
from ..checkin.readers.failures import shown
from .front import Ask, Front, Refused
from .job import FINISHED, Job
from .page import page, part
from .plan import LOOPBACK
from .tokens import Token

MAX_BODY = 64 * 1024
_LOOK = 0.25
"""Seconds between two looks at a job whose progress is watched."""
_LONGEST = 3600.0
"""Seconds after which a watcher has to ask again."""
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
}


class Size(BaseModel):
    """Pixels of the picture; left out, what suits the model."""

    model_config = ConfigDict(extra="forbid")
    width: int
    height: int


class Asked(BaseModel):
    """A request in plain words."""

    model_config = ConfigDict(extra="forbid")
    request: str = Field(description="What you want, such as 'my latest realistic bear on grass'.")
    answers: tuple[str, ...] = Field(
        (), description="Labels that answer the questions so far, in order; or free words."
    )
    seed: int | None = Field(None, description="The same seed gives the same picture.")
    size: Size | None = None
    id: str | None = Field(
        None,
        pattern="^[A-Za-z0-9_-]{8,64}$",
        description="Becomes the job's id. Sent again with the same request, it draws no second "
        "picture: choose one, and retries are harmless.",
    )


def _front(request: Request) -> Front:
    return request.app.state.front


def _who(request: Request, authorization: Annotated[str, Header()] = "") -> Token | None:
    return _front(request).who(authorization)


FrontOf = Annotated[Front, Depends(_front)]
Who = Annotated[Token | None, Depends(_who)]
router = APIRouter()


def make_app(front: Front) -> FastAPI:
    """The application of one ingress."""
    app = FastAPI(
        title="PersonalQ",
        description="Ask for one of your own models in plain words, and get its picture.",
        version="1",
        docs_url=None,  # these two pages would run scripts of strangers
        redoc_url=None,
    )
    app.state.front = front
    app.include_router(router)

    @app.middleware("http")
    async def guarded(request: Request, call: Callable[..., Any]) -> Response:
        with speaking(request.headers.get("Accept-Language")):
            alone = front.plan.local and not front.tokens.all()
            refused = _refusal(request, alone)
            return _said(refused) if refused else await call(request)

    @app.exception_handler(Refused)
    async def refuse(request: Request, refused: Refused) -> Response:
        return _said(refused)

    @app.exception_handler(RequestValidationError)
    async def misunderstood(request: Request, error: RequestValidationError) -> Response:
        # without what was sent: JSON has no NaN, and no half of a character
        why = [
            {"loc": [shown(str(name)) for name in one["loc"]], "msg": one["msg"]}
            for one in error.errors()
        ]
        return JSONResponse({"detail": why}, 422)

    return app


@router.post("/v1/requests", summary="Ask for a picture")
def ask(asked: Asked, front: FrontOf, token: Who) -> dict[str, Any]:
    """Outcome `select`: `job` is accepted and will be drawn. `clarify`: show `question` and
    `choices` to the person, and send the request again with their label in `answers`.
    `no_match`: nothing fits; `near` has models that may be meant, with what is `met`
        and `dropped`.
    """
    size = asked.size
    wanted = Ask(
        asked.request,
        asked.answers,
        asked.seed,
        width=size.width if size else None,
        height=size.height if size else None,
        id=asked.id,
    )
    return front.ask(wanted, token)


@router.get("/v1/jobs/{job_id}", summary="How far a job is")
def job(job_id: str, front: FrontOf, token: Who) -> dict[str, Any]:
    """`state` is waiting, drawing, done or failed; `picture` is there once it is done."""
    return _shown(front.job(job_id, token))


@router.get("/v1/jobs/{job_id}/events", summary="Watch a job (server-sent events)")
def events(job_id: str, front: FrontOf, token: Who) -> StreamingResponse:
    """The job, as the address without /events gives it, each time it changes, to its end."""
    front.job(job_id, token)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    watched = _watched(front, job_id, token)
    return StreamingResponse(watched, media_type="text/event-stream", headers=headers)


@router.get("/v1/jobs/{job_id}/picture", summary="The picture", response_class=Response)
def picture(job_id: str, front: FrontOf, token: Who) -> Response:
    """The picture of a job that is done. 404 while it is not drawn, 410 if it failed."""
    kind, data = front.picture(job_id, token)
    return Response(data, media_type=kind, headers={"Cache-Control": "private, max-age=86400"})


@router.get("/healthz", include_in_schema=False)
def health() -> dict[str, str]:
    """For load balancers."""
    return {"state": "up"}


@router.get("/", include_in_schema=False)
def start() -> Response:
    """The page to try it."""
    return Response(page(), media_type="text/html; charset=utf-8", headers=_SAFE)


@router.get("/page/{name}", include_in_schema=False)
def page_part(name: str) -> Response:
    """What the page needs."""
    found = part(name)
    if found is None:
        raise Refused(404, name)
    return Response(found[1], media_type=found[0], headers=_SAFE)


def _refusal(request: Request, alone: bool) -> Refused | None:
    """Why a request is not read at all: another site's page sent it, or it is too long.

    `alone`: only this machine is answered, and without a token.
    """
    host = request.headers.get("Host", "")
    origin = request.headers.get("Origin")
    places = [f"//{host}", *([] if origin is None else [origin])]
    site = request.headers.get("Sec-Fetch-Site", "none")
    try:
        here = all(urlsplit(one).hostname in LOOPBACK for one in places)
        # A proxy may have changed the Host; where the browser says that the page is ours, it is.
        ours = site == "same-origin" or origin is None or _place(origin) == _place(f"//{host}")
    except ValueError:  # such as http://[::1, which is no address
        here = ours = False
    if alone and not here:
        # a name of a stranger that leads here, perhaps through a proxy
        return Refused(403, say("This service answers on its own machine only."))
    if not ours or (request.method != "GET" and site not in ("same-origin", "none")):
        return Refused(403, say("Only a page of this server may change this."))
    if request.method == "POST":
        size = request.headers.get("Content-Length", "")
        if not size.isdecimal():
            return Refused(411, say("Say how long the body is."))
        if int(size) > MAX_BODY:
            return Refused(413, say("Send at most {most:,} bytes.", most=MAX_BODY))
    return None


def _place(address: str) -> str:
    """Its host and port."""
    return urlsplit(address).netloc.casefold()


def _said(refused: Refused) -> JSONResponse:
    headers = {} if refused.after is None else {"Retry-After": str(refused.after)}
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse({"detail": refused.why}, refused.status, headers)


def _shown(job: Job) -> dict[str, Any]:
    return job.as_dict() | {"error": again(job.error) if job.error else None}


async def _watched(front: Front, job_id: str, token: Token | None) -> AsyncIterator[str]:
    """The job as server-sent events, each time it changes."""
    seen, loop = "", asyncio.get_running_loop()
    end = loop.time() + _LONGEST
    while loop.time() < end:
        found = await asyncio.to_thread(front.job, job_id, token)
        text = json.dumps(_shown(found))
        if text != seen:
            seen = text
            yield f"event: {found.state}\ndata: {text}\n\n"
        if found.state in FINISHED:
            return
        await asyncio.sleep(_LOOK)
