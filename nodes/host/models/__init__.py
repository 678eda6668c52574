"""Models from ComfyUI's folders: found, loaded, pooled, and drawn for whoever describes them."""
