"""Exit codes of the demo programs; `python quickstart.py` returns them unchanged."""

OK, FAILED, NO_COMFYUI, STOPPED = 0, 1, 3, 130
NEXT_WITHOUT_COMFYUI = "install ComfyUI 0.33 or newer and set COMFYUI_PATH to its folder."
"""The step to take after NO_COMFYUI."""
NEXT_WITHOUT_ROOM = "free 1 GB, or name another folder with --out."
"""The step to take where a file cannot be written."""
