"""`personalq doctor`: checks what runs quantized on this machine, and with what error, time and
memory.
"""
