"""The extension object from which ComfyUI gets the nodes and routes."""

from __future__ import annotations

from comfy_api.latest import ComfyExtension, io
from server import PromptServer

from .calibrate import Calibrate
from .check_in import CheckIn
from .clarify import Clarify
from .describe import Describe
from .host.web.routes import add_routes
from .preview import Preview
from .recommended_settings import RecommendedSettings
from .sensitivity import Sensitivity
from .taq import TAQ
from .trigger_rewrite import TriggerRewrite


class PersonalQExtension(ComfyExtension):
    """The nodes and HTTP routes of this pack."""

    async def on_load(self) -> None:
        """Add the HTTP routes to ComfyUI's server."""
        server = PromptServer.instance
        add_routes(server.routes, server.send_sync, Preview)

    async def get_node_list(self) -> list[type[io.ComfyNode]]:
        """The node classes, in the order in which the menu shows them."""
        return [
            CheckIn,
            Clarify,
            TriggerRewrite,
            TAQ,
            Sensitivity,
            Calibrate,
            Describe,
            RecommendedSettings,
        ]
