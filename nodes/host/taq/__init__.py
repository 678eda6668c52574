"""The quantized MODEL: its operations, attention, LoRA branches, files, calibration and
sensitivity.
"""
