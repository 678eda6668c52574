"""What each backend can: a file declares the operations that it runs, by functions that `registry`
asks.

A function returns a `Backend`, or the reason why this machine or layer does not run it there. An
operation without a function is one that the backend does not have.
"""
