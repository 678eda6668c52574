"""Where PersonalQ meets ComfyUI: loading, patching, tokens, previews. The node files stay thin."""
