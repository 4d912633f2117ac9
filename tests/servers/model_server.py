"""A real HTTP server that speaks as model providers do, well or badly, as a test tells it."""

import json
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from typing_extensions import override

Body = dict[str, Any]


@dataclass
class Answer:
    """What the server does with one request."""

    text: str = '{"score": 4, "reasoning": "Fine."}'
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    delay: float = 0.0
    cut_after: int | None = None
    endless: bool = False
    thinking: str | None = None
    tokens: tuple[int, int] = (100, 20)


Script = Callable[[int, Body], Answer]


@dataclass
class Model:
    """The running server and what it was asked.

    Attributes:
        names: Of the requests, by which a call that is sent again is known.
        paid: What was answered under a name, by a server that answers each name only once.
    """

    url: str
    names: list[str] = field(default_factory=list)
    paid: dict[str, tuple[Body, bytes | None]] = field(default_factory=dict)
    requests: list[Body] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    most_at_once: int = 0
    at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


@contextmanager
def model_server(
    script: Script | Answer | None = None,
    *,
    certificate: Path | None = None,
    honours_names: bool = False,
) -> Iterator[Model]:
    """Start a server that answers by the script: the request's number from 0, and its body.

    With a certificate, a PEM file that holds its key too, it speaks TLS. One that honours names
    works once on the calls of one name, and answers them all alike.
    """
    plan: Script = script if callable(script) else lambda _n, _b: script or Answer()
    server = _Server(plan, honours_names=honours_names)
    if certificate is not None:
        server.secure(certificate)
    thread = threading.Thread(target=lambda: server.serve_forever(0.02), daemon=True)
    thread.start()
    try:
        yield server.model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, plan: Script, *, honours_names: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.plan = plan
        self.honours_names = honours_names
        self.model = Model(f"http://127.0.0.1:{self.server_address[1]}/v1")

    def secure(self, certificate: Path) -> None:
        """Speak TLS from now on; each connection shakes hands on its own thread."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.socket = context.wrap_socket(
            self.socket, server_side=True, do_handshake_on_connect=False
        )
        self.model.url = self.model.url.replace("http:", "https:")

    @override
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that does not trust the certificate."""
        if not isinstance(sys.exception(), ssl.SSLError | ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        sent = self.rfile.read(size)
        if len(sent) < size:
            # whoever asked was killed before all of the question was sent
            self.close_connection = True
            return
        body: Body = json.loads(sent)
        model = self.server.model
        with model.lock:
            number = len(model.requests)
            model.requests.append(body)
            model.keys.append(
                self.headers.get("Authorization") or self.headers.get("x-api-key") or ""
            )
            model.times.append(time.monotonic())
            name = self.headers.get("Idempotency-Key") or ""
            model.names.append(name)
            known = model.paid.get(name)
            if self.server.honours_names and known is None:
                model.paid[name] = (body, None)
            model.at_once += 1
            model.most_at_once = max(model.most_at_once, model.at_once)
        try:
            if self.server.honours_names and known is not None:
                self.reply_again(*known)
                return
            answer = self.server.plan(number, body)
            time.sleep(answer.delay)
            if self.server.honours_names:
                answer.raw = json.dumps(openai(answer, body)).encode()
                model.paid[name] = (body, answer.raw)
            self.reply(answer, body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            with model.lock:
                model.at_once -= 1

    def reply_again(self, body: Body, raw: bytes | None) -> None:
        if raw is None:
            self.reply(Answer("The first one is still at work.", status=409), body)
        else:
            self.reply(Answer(raw=raw), body)

    def reply(self, answer: Answer, body: Body) -> None:
        raw = answer.raw
        if raw is None:
            made = anthropic if self.path.endswith("/messages") else openai
            raw = json.dumps(made(answer, body)).encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.endless:
            self.send_header("Connection", "close")
            self.end_headers()
            while True:
                self.wfile.write(b" " * 65536)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if answer.cut_after is None:
            self.wfile.write(raw)
            return
        self.wfile.write(raw[: answer.cut_after])
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing on standard error."""


def openai(answer: Answer, body: Body) -> Body:
    """Answer as chat completions do."""
    if answer.status >= 400:
        return {"error": {"message": answer.text, "type": "error"}}
    message = {"role": "assistant", "content": answer.text}
    if answer.thinking:
        message["reasoning_content"] = answer.thinking
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": body.get("model", ""),
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {
            "prompt_tokens": answer.tokens[0],
            "completion_tokens": answer.tokens[1],
            "total_tokens": sum(answer.tokens),
        },
    }


def anthropic(answer: Answer, body: Body) -> Body:
    """Answer as Anthropic's messages do."""
    if answer.status >= 400:
        return {"type": "error", "error": {"type": "error", "message": answer.text}}
    content: list[Body] = [{"type": "text", "text": answer.text}]
    if answer.thinking:
        content.insert(0, {"type": "thinking", "thinking": answer.thinking, "signature": "s"})
    return {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", ""),
        "content": content,
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": answer.tokens[0], "output_tokens": answer.tokens[1]},
    }
