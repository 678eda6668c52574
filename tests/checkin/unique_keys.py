"""A reader of YAML that refuses a key that occurs twice, which YAML would silently drop."""

from __future__ import annotations

import yaml


class Unique(yaml.SafeLoader):
    """Fails for a mapping that has a key twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        keys = [key.value for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        assert not twice, f"twice in {self.name}: {sorted(twice)}"
        return super().construct_mapping(node, deep)
