"""A local server that speaks as model providers do, and misbehaves on demand.

Point a provider's own client at it, and an agent can be tested offline, down to the wire::

    with ProviderServer() as server:
        client = openai.OpenAI(base_url=server.url("openai"), ...)
        server.say("Paris.")
        server.fail(Fault.RATE_LIMIT, times=2, retry_after=0.05)
"""

from bethink.testing.providers.faults import Fault
from bethink.testing.providers.replies import Reply, ToolCall
from bethink.testing.providers.script import Request
from bethink.testing.providers.server import ProviderServer

__all__ = ["Fault", "ProviderServer", "Reply", "Request", "ToolCall"]
