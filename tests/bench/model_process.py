"""A model's server in a process of its own, which answers after a set time: PORT_FILE DELAY_MS."""

import asyncio
import json
import sys
from pathlib import Path

REPLY = json.dumps(
    {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": '{"score": 4, "reasoning": "Fine."}'},
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }
).encode()
HEAD = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(REPLY)}\r\n\r\n"


async def answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float
) -> None:
    """Answer what comes over one connection until it is closed."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            await asyncio.sleep(seconds)
            writer.write(HEAD.encode() + REPLY)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def serve(port_file: Path, seconds: float) -> None:
    """Listen on a free port, write it to a file, and answer until killed."""
    server = await asyncio.start_server(lambda r, w: answer(r, w, seconds), "127.0.0.1", 0)
    part = port_file.with_suffix(".part")
    part.write_text(str(server.sockets[0].getsockname()[1]))
    part.rename(port_file)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), float(sys.argv[2]) / 1000))
