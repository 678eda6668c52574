"""Declare the wheel's packages: this folder is `personalq`, with the subpackages users need."""

from setuptools import find_packages, setup

ROOMS = find_packages(include=["checkin*", "cli*", "doctor*", "nodes*", "serve*", "taq_kernels*"])

setup(
    packages=["personalq", *(f"personalq.{room}" for room in ROOMS)],
    # pip runs this file under another name, and would take it for a module of the package
    script_name="setup.py",
)
