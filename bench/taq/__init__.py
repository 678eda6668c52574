"""TAQ and other tools on the same UNet: bytes, time per step, error against full precision."""
