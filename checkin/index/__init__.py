"""The index: scanning folders, reading files, the store on disk, snapshots, hashes, lineage and
sidecars.
"""
