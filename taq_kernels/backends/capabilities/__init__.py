"""What each backend can run: each file declares its operations as functions for `registry` to call.

A function returns a `Backend`, or the reason why it cannot run the operation for this machine or
layer. A backend has no function for an operation that it does not implement.
"""
