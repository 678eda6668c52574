"""Language models as helpers: profiles, keys, and one question with a structured answer.

All attempts to get the answer share one deadline.
"""

from ..user.preferences import OFFLINE
from .ask import Deadline, ask
from .profile import Profile
from .profiles import load_profiles, profile_named
from .prompt import NoAnswer, Prompt

__all__ = [
    "OFFLINE",
    "Deadline",
    "NoAnswer",
    "Profile",
    "Prompt",
    "ask",
    "load_profiles",
    "profile_named",
]
