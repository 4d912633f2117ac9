"""Read a file for the process that stores its rows: `python -m reviewer.worker.beside`.

What is asked comes on standard input, and its answer goes to standard output.
"""

import gc
import sys

from reviewer.services.transfer.file_reading import serve

_OFTEN = 100_000
"""Objects more than before from which on circles among them are looked for: rows have none."""

if __name__ == "__main__":
    gc.set_threshold(_OFTEN)
    serve(sys.stdin.buffer, sys.stdout.buffer)
