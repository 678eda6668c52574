"""PersonalQ finds the personalised model that a request means, and runs it quantized.

The tokens of its trigger stay in full precision.
"""

WEB_DIRECTORY = "web"


def comfy_entrypoint():
    """Return the nodes; ComfyUI calls this.

    The nodes are imported only here, so `import personalq` needs no ComfyUI.
    """
    from .nodes import extension

    return extension()
