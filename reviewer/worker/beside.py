"""Read a file for the process that stores its rows: `python -m reviewer.worker.beside`.

What is asked comes on standard input, and its answer goes to standard output.
"""

import sys

from reviewer.services.transfer.file_reading import serve

if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
