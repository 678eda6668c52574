"""The index: what is known about the model files of a repository.

It scans folders, reads files, stores the results and snapshots on disk, computes hashes and
lineages, and writes sidecars.
"""
