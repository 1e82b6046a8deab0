"""The provider `shelf`: the directories that this server may look into, read once for a request."""

import os

from curator.library import Shelf
from trio_agent import ProviderContext, provider


@provider
def shelf(_: ProviderContext) -> Shelf:
    """What the environment says, in which the operator's `.env` has been read already."""
    return Shelf.open(os.environ)
