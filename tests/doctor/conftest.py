"""These tests are about products of integers."""

from personalq.tests.int8 import multiplied_in_int8

__all__ = ["multiplied_in_int8"]
