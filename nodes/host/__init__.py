"""The code between ComfyUI and our rooms: loading, patching, tokens, previews, routes."""
