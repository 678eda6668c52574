"""Start ComfyUI on the demo models, with the template "request to image" in its canvas.

`python quickstart.py open` runs this inside the environment that it made. ComfyUI runs until
Ctrl+C, SIGTERM, or the end of standard input, by which a parent process can end it on every
system. Exit codes: 0 ended in one of these ways; 1 ComfyUI failed; 3 there is no ComfyUI.
"""

from __future__ import annotations

import _thread
import argparse
import os
import signal
import sys
import threading
import time
import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from urllib.parse import urlencode

from .conversation import REQUESTS
from .exit_codes import FAILED, NEXT_WITHOUT_COMFYUI, NEXT_WITHOUT_ROOM, NO_COMFYUI, OK
from .host_process import PACK_NAME, HostError, HostProcess, free_port

TEMPLATE = "1-Ask-for-your-model-PersonalQ.app"
PORTS = range(8190, 8200)
"""Ports to try, in this order.

ComfyUI's own 8188 is left out: a browser stores drafts by address, so drafts of two ComfyUIs would
mix.
"""
OUTCOMES = {"select": "one model fits", "clarify": "it asks which", "no_match": "nothing fits"}
SIGNAL_NAMES = ("SIGINT", "SIGTERM", "SIGBREAK")
SIGNALS = [getattr(signal, name) for name in SIGNAL_NAMES if hasattr(signal, name)]
"""Signals that end the program; SIGBREAK exists on Windows only."""


def main(argv: Sequence[str]) -> int:
    """Start ComfyUI, print and open its address, wait for the end; return the exit code."""
    program = "python -m personalq.demo.open_canvas"
    parser = argparse.ArgumentParser(prog=program, description=__doc__)
    parser.add_argument("--comfyui", type=Path, help="ComfyUI's folder")
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--no-browser", action="store_true", help="print the address only")
    options = parser.parse_args(argv)
    if not options.comfyui:
        print(f"There is no ComfyUI here, and it cannot be cloned.\nNext: {NEXT_WITHOUT_COMFYUI}")
        return NO_COMFYUI
    for number in SIGNALS:
        signal.signal(number, _interrupt)
    threading.Thread(target=_interrupt_at_end_of_input, daemon=True).start()
    port = free_port(PORTS)
    folder = options.out / f"canvas-{port}"  # one per running ComfyUI: it locks its database
    try:
        # Imports torch, which takes seconds: Ctrl+C must already work.
        from .repository import make_demo

        print(f"Demo models: {options.out / 'demo'} (the first start makes them) ...", flush=True)
        demo = make_demo(options.out / "demo")
        print(f"Starting ComfyUI on {demo.models} models ...", flush=True)
        with HostProcess(options.comfyui, demo.folder, folder, port=port) as host:
            present(host, browser=not options.no_browser and has_display(os.environ))
            while host.running:
                time.sleep(0.2)
            raise HostError(f"ComfyUI has ended by itself.\n{host.tail()}")
    except KeyboardInterrupt:
        print("\nComfyUI has ended.", flush=True)
        return OK
    except HostError as error:
        print(f"\nFailed: {error}")
        print(f"Next: read {folder / 'comfyui.log'}; docs/troubleshooting.md says what to report.")
        return FAILED
    except OSError as error:
        print(f"\nFailed: {error}\nNext: {NEXT_WITHOUT_ROOM}")
        return FAILED


def present(host: HostProcess, *, browser: bool) -> None:
    """Print the address and three requests to try, and open the address."""
    # or the host's tour of its apps covers the page on its first start
    host.post("/settings", {"Comfy.OnboardingCoachmarks.Seen": ["appMode"]})
    address = template_address(host.url)
    print(f"\nComfyUI is ready after {host.start_seconds:.0f} s:\n\n  {address}\n")
    print("Write a request into Repo Check-in and press Run:\n")
    for request in REQUESTS:
        print(f"  {request.text}   ({OUTCOMES[request.expected[0]]})")
    print(f"\nComfyUI's log: {host.log_file}\nCtrl+C ends it.", flush=True)
    if browser:
        webbrowser.open(address)


def template_address(url: str) -> str:
    """Return the address at which ComfyUI's front end opens the pack's template in a new tab."""
    return f"{url}/?{urlencode({'template': TEMPLATE, 'source': PACK_NAME})}"


def has_display(environment: Mapping[str, str]) -> bool:
    """Whether a browser can show a page; where none can, `webbrowser` may start a text browser."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """End the program at the first signal; later signals must not disturb the shutdown."""
    for number in SIGNALS:
        signal.signal(number, lambda *_: None)
    raise KeyboardInterrupt


def _interrupt_at_end_of_input() -> None:
    # Not through sys.stdin: this thread would hold its lock when the interpreter ends.
    while os.read(0, 1024):
        pass
    _thread.interrupt_main()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
