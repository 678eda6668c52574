"""Two LoRAs on one quantized model, in a real ComfyUI: how often a picture shows both."""
