"""Models in ComfyUI's folders: finding them, loading and pooling them, and their pictures."""
