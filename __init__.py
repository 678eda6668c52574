"""PersonalQ: find the personalised model that a request means, and run it quantized with its
trigger exact.
"""

WEB_DIRECTORY = "web"


def comfy_entrypoint():
    """What ComfyUI calls to get the nodes.

    Nothing is imported before, so `import personalq` needs no ComfyUI.
    """
    from .nodes import extension

    return extension()
