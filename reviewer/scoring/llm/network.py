"""Connections with bounds: no redirects followed, and no reply without end."""

from collections.abc import AsyncIterator

import httpx2
from typing_extensions import override

MAX_REPLY = 16 * 1024 * 1024
"""Bytes of one reply."""


class EndlessReplyError(Exception):
    """Report a reply that is longer than any judge's."""


class Network:
    """An HTTP client that takes what is asked for and no more."""

    def __init__(self, connections: int, timeout_s: float) -> None:
        """Get ready; no connection is opened yet."""
        self.client = httpx2.AsyncClient(
            limits=httpx2.Limits(
                max_connections=connections, max_keepalive_connections=connections
            ),
            timeout=timeout_s,
            follow_redirects=False,
            event_hooks={"response": [_bound]},
        )

    async def close(self) -> None:
        """Close every connection."""
        await self.client.aclose()


class _Bounded(httpx2.AsyncByteStream):
    """The stream of a reply, counted."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for piece in self._stream:
            seen += len(piece)
            if seen > MAX_REPLY:
                raise EndlessReplyError
            yield piece

    @override
    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)
