"""Serves a model file with llama.cpp's own server, from its wheel `xllamacpp`, for the tests that need a real one.

serve.py FILE KEY: listens on a free port of this machine, prints the address and serves until it is stopped, for at most an hour.
"""

import socket
import sys
import time

import xllamacpp

# Context size in tokens, for prompt and answer: enough for the solved requests, little enough for a test to exceed.
WINDOW = 8192
# Limits in seconds.
LIFE = 3600

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]

settings = xllamacpp.CommonParams()
settings.model.path, key = sys.argv[1:]
settings.api_keys = [key]
settings.hostnames = ["127.0.0.1"]
settings.port = port
settings.n_ctx = WINDOW
settings.n_parallel = 1
server = xllamacpp.Server(settings)
print(server.listening_address, flush=True)
time.sleep(LIFE)
