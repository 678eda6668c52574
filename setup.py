"""The packages of the wheel: this folder is `personalq` itself; its rooms that users need are found
in it.
"""

from setuptools import find_packages, setup

ROOMS = find_packages(include=["checkin*", "cli*", "doctor*", "nodes*", "taq_kernels*"])

setup(
    packages=["personalq", *(f"personalq.{room}" for room in ROOMS)],
    # pip runs it under another name, and would take this file for a module of the package
    script_name="setup.py",
)
