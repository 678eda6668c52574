"""What TAQ and other tools make of the same UNet: bytes, time per step, and error against full
precision.
"""
