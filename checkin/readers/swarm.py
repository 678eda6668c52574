"""`<model>.swarm.json`, as SwarmUI writes it: ModelSpec's keys in a file of their own."""

from __future__ import annotations

from .json_file import read_object
from .model_file import Fields, ModelFile, Report
from .modelspec import spec_fields
from .reader import Reader

ENDING = ".swarm.json"


def read(model: ModelFile, report: Report) -> Fields:
    """The card fields in the sidecar.

    Its `time_created` is when the file came to this machine, so it is not used.
    """
    return spec_fields(read_object(model.sidecars[ENDING]), model.header)


READERS = (
    Reader(
        "swarm",
        "swarm.json",
        read,
        {
            "triggers": 10,
            "title": 10,
            "tags": 50,
            "subjects": 60,
            "styles": 50,
            "description": 30,
            "created_at": 20,
            "kind": 20,
            "base_model": 10,
            "strength": 30,
            "resolution": 10,
        },
        (ENDING,),
    ),
)
