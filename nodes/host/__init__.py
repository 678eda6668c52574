"""The code that connects ComfyUI with this pack: loading, patching, tokens, previews, routes."""
