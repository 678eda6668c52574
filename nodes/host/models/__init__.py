"""Models from ComfyUI's folders: finding, loading, pooling, and pictures of them."""
