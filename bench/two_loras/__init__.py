"""Two subject LoRAs through Repo Check-in, in a real ComfyUI: how often a picture shows both."""
