"""Workers on other machines: those of a Dask cluster, reached through its scheduler.

Dask does again what a lost worker did, and would so pay twice for a call whose reply was lost with
it. Here everything is begun once: the scheduler remembers that it was, the second time nothing is
done, and whoever has the job decides.
"""

import contextlib
import importlib.metadata
import logging
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import uuid4

from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.services.computer import secrets, versions
from reviewer.services.jobs.away import LOST, LostError, Workers

PROTOCOLS: Final = {"dask": "tcp", "dask+tls": "tls"}
"""What Dask speaks, by the scheme of an address."""
CONNECT_SECONDS: Final = 10.0
PATIENCE: Final = 60.0
"""Seconds without any worker after which nobody is expected any more."""
MISSING: Final = (
    "--workers needs the library distributed, which is not installed. Install it with "
    "`pip install 'reviewer[cluster]'`, here and on every worker."
)
CONTEXT: Final = "ssl_context"
NO_CERTIFICATE: Final = (
    "Dask has no certificate for dask+tls here. Name the files in its configuration under "
    "distributed.comm.tls, or in the variables DASK_DISTRIBUTED__COMM__TLS__CA_FILE, "
    "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY."
)
GONE: Final = (
    "The cluster at {} does not answer any more; what was done until then is kept, so the job can "
    "go on with --resume."
)


@contextlib.contextmanager
def opened(address: str) -> Iterator[Workers]:
    """Give the workers of a cluster, such as `dask://HOST:PORT`.

    Raises:
        ReviewerError: It is no such address, the library is not installed or has no certificate
            for an address that wants one, nobody answers or works there, or a worker has another
            version of this program.
    """
    protocol, place = _place(address)
    try:
        import distributed
    except ImportError:
        raise ReviewerError(MISSING) from None
    _be_quiet()
    if protocol == "tls" and not distributed.Security().get_connection_args("client")[CONTEXT]:
        raise ReviewerError(NO_CERTIFICATE)
    with contextlib.ExitStack() as stack:
        try:
            with warnings.catch_warnings():
                # versions are held to each other here
                warnings.simplefilter("ignore")
                client = distributed.Client(
                    f"{protocol}://{place}", timeout=CONNECT_SECONDS, set_as_default=False
                )
            cluster = Cluster(stack.enter_context(client), place)
            width = cluster.width()
        except (OSError, ValueError):
            raise ReviewerError(
                f"No Dask scheduler answers at {place}; start one with `dask scheduler`, and "
                f"workers with `dask worker {place}`."
            ) from None
        yield Workers(cluster, width, cluster.look)


def _be_quiet() -> None:
    """Let the library write no notes of lost connections to standard error."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).handlers[:] = [logging.NullHandler()]


def _place(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    port = None
    with contextlib.suppress(ValueError):
        port = parts.port
    if (
        parts.scheme not in PROTOCOLS
        or not parts.hostname
        or port is None
        or parts.path.strip("/")
    ):
        raise ReviewerError(
            f"--workers {address!r} names no cluster; dask://HOST:PORT is expected, such as "
            "dask://localhost:8786, or dask+tls://HOST:PORT."
        )
    return PROTOCOLS[parts.scheme], parts.netloc


def identity() -> str:
    """Name what must be the same on every worker."""
    major, minor, _ = platform.python_version_tuple()
    return f"{versions.version()} on Python {major}.{minor}"


@dataclass(eq=False)
class Cluster(Executor):
    """Hands work to the workers of a cluster; where one is lost its future ends so."""

    client: Any
    place: str
    _seen: float = field(default_factory=time.monotonic)

    def width(self) -> int:
        """Wait for workers, hold them to this program's version, and tell how many threads work.

        Raises:
            ReviewerError: There is none, or one has another version.
        """
        try:
            self.client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError:
            raise ReviewerError(
                f"The cluster at {self.place} has no worker; start some with `dask worker "
                f"{self.place}`."
            ) from None
        # of the standard library, so that a worker without this program can tell it
        for worker, version in self._tell(importlib.metadata.version, "reviewer"):
            if isinstance(version, importlib.metadata.PackageNotFoundError):
                raise ReviewerError(
                    f"The worker {worker} has no Reviewer; install {versions.version()} there."
                )
        for worker, version in self._tell(identity):
            if isinstance(version, Exception) or version != identity():
                raise ReviewerError(f"The worker {worker} has {_other(str(version))}")
        return sum(self.client.nthreads().values())

    def _tell(self, function: Callable[..., str], *given: str) -> list[tuple[str, Any]]:
        """Ask every worker; one that is lost meanwhile has no say."""
        found = self.client.run(function, *given, on_error="return")
        return [x for x in sorted(found.items()) if not isinstance(x[1], OSError)]

    def look(self) -> None:
        """Hold the cluster to its promise that somebody works.

        Raises:
            ReviewerError: The scheduler is gone, or there was no worker for a while.
        """
        self._check()
        now = time.monotonic()
        if self.client.scheduler_info(n_workers=-1)["workers"]:
            self._seen = now
        elif now - self._seen > PATIENCE:
            raise ReviewerError(
                f"The cluster at {self.place} has had no worker for {PATIENCE:g} s; what was done "
                "until then is kept, so the job can go on with --resume."
            )

    def _check(self) -> None:
        if self.client.status != "running":
            raise ReviewerError(GONE.format(self.place))

    @override
    def submit(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        """Let a worker call a function.

        Raises:
            ReviewerError: The scheduler is gone.
        """
        self._check()
        made: Future[Any] = Future()
        name = f"reviewer-{uuid4().hex}"
        work = partial(function, *given, **named)
        sent = self.client.submit(_once, name, identity(), work, key=name)

        def drop(future: Future[Any]) -> None:
            if future.cancelled():
                sent.cancel()

        made.add_done_callback(drop)
        sent.add_done_callback(partial(self._pass_on, made))
        return made

    def _pass_on(self, made: Future[Any], sent: Any) -> None:  # noqa: ANN401  # of the library
        if made.cancelled() or not made.set_running_or_notify_cancel():
            return
        try:
            made.set_result(self._given(sent))
        except ReviewerError as error:
            made.set_exception(error)

    def _given(self, sent: Any) -> Any:  # noqa: ANN401  # of the library
        """Give what a worker gave.

        Raises:
            LostError: It was lost.
            ReviewerError: It could not do it, or the scheduler is gone.
        """
        from distributed import Event, KilledWorker

        if sent.cancelled():
            raise ReviewerError(GONE.format(self.place))
        try:
            state, given = sent.result()
            Event(sent.key, self.client).clear()
        except KilledWorker:
            raise LostError(LOST) from None
        except OSError:
            raise ReviewerError(GONE.format(self.place)) from None
        # whatever the library ends with
        except Exception as error:
            raise ReviewerError(_failed(error)) from error
        if state == "done":
            return given
        raise LostError(LOST) if state == "lost" else ReviewerError(given)


def _once(name: str, version: str, work: Callable[[], Any]) -> tuple[str, Any]:
    """Do what is asked on a worker, unless it was begun before on one that was lost.

    Errors come back as sentences: the worker would write what is raised into its log, with the
    texts that it was given.
    """
    from distributed import Event

    if version != identity():
        return "failed", f"A worker has {_other(identity(), version)}"
    begun = Event(name)
    if begun.is_set():
        return "lost", None
    begun.set()
    try:
        return "done", work()
    except ReviewerError as error:
        return "failed", secrets.hidden(str(error))
    # whatever goes wrong there is told here
    except Exception as error:  # noqa: BLE001
        return "failed", secrets.hidden(_failed(error))


def _other(there: str, here: str = "") -> str:
    return (
        f"Reviewer {there}, and here it is {here or identity()}; figures are the same only where "
        "both are."
    )


def _failed(error: Exception) -> str:
    why = " ".join(str(error).split())[:300] or "no reason given"
    return f"A worker failed: {type(error).__name__}: {why}"
