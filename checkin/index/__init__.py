"""From folders of model files to a repository of cards: scanning, reading, the store on disk,
lineage, sidecars.
"""
