"""PersonalQ: find the personalised model a request means, and run it quantized without losing what makes it personal."""

WEB_DIRECTORY = "web"


def comfy_entrypoint():
    """What ComfyUI calls to get the nodes. Nothing is imported before, so `import personalq` needs no ComfyUI."""
    from .nodes import extension

    return extension()
