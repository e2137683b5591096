"""Serves a model file with llama.cpp's own server, from its wheel `xllamacpp`, for `run`.

serve.py FILE KEY THREADS SLOTS: listens on a free port of this machine, prints the address and the wheel's version, and
serves until its input ends, for at most six hours."""

import socket
import sys
import threading
from importlib.metadata import version

import xllamacpp

# Context size in tokens per slot, for prompt and answer: bare requests are short.
WINDOW = 2048
# Limits in seconds.
LIFE = 6 * 3600

path, key, threads, slots = sys.argv[1:]
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]

settings = xllamacpp.CommonParams()
settings.model.path = path
settings.api_keys = [key]
settings.hostnames = ["127.0.0.1"]
settings.port = port
settings.n_ctx = WINDOW * int(slots)
settings.n_parallel = int(slots)
settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = int(threads)
server = xllamacpp.Server(settings)
print(server.listening_address, version("xllamacpp"), flush=True)
over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
over.wait(LIFE)
