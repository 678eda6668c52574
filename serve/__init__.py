"""`personalq serve`: requests over HTTP, drawn by several headless ComfyUIs that Ray Serve runs."""
