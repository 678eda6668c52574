"""`python personalq ask ...` runs the command from the pack's folder, without installing it.

The folder may have any name; the package is loaded from it as `personalq`. The folder itself must
not be on sys.path, where its nodes/ would hide ComfyUI's module of that name.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

NAME = "personalq"


def load(folder: Path) -> None:
    """Make the package in `folder` importable as `personalq`."""
    sys.path[:] = [place for place in sys.path if Path(place).absolute() != folder]
    spec = importlib.util.spec_from_file_location(
        NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = package
    spec.loader.exec_module(package)


if __name__ == "__main__":
    load(Path(__file__).absolute().parent)
    try:
        cli = importlib.import_module(f"{NAME}.cli.main")
        options = cli.parse(sys.argv[1:])
    except ModuleNotFoundError as error:
        requirements = Path(__file__).absolute().with_name("requirements.txt")
        sys.exit(
            f'personalq: {error.name} is not installed: run "{sys.executable}" -m pip install -r '
            f'"{requirements}"'
        )
    sys.exit(cli.run(options))
