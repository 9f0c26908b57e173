#!/usr/bin/env python3
"""A program that needs the CPU alone asks the network for nothing.

The example runs under a filter of the kernel that ends it at its first socket
of the internet's families.
"""

import ctypes
import os
import platform
import struct
import subprocess
import sys

# Numbers of the system call socket.
SOCKET = {"x86_64": 41, "aarch64": 198}
AF_INET, AF_INET6 = 2, 10

# The words of <linux/filter.h>, <linux/seccomp.h> and <linux/prctl.h>.
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, KILL = 0x7FFF0000, 0x80000000
NUMBER_AT, FIRST_ARGUMENT_AT = 0, 16
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER_MODE = 22, 38, 2


def instruction(code, value, if_true=0, if_false=0):
  return struct.pack("HBBI", code, if_true, if_false, value)


def filter_sockets():
  """Runs in the child, before the example starts."""
  program = b"".join([
      instruction(LOAD, NUMBER_AT),
      instruction(EQUAL, SOCKET[platform.machine()], 0, 4),
      instruction(LOAD, FIRST_ARGUMENT_AT),
      instruction(EQUAL, AF_INET, 1, 0),
      instruction(EQUAL, AF_INET6, 0, 1),
      instruction(RETURN, KILL),
      instruction(RETURN, ALLOW),
  ])
  buffer = ctypes.create_string_buffer(program)
  header = struct.pack("HxxxxxxP", len(program) // 8,
                       ctypes.addressof(buffer))
  libc = ctypes.CDLL(None, use_errno=True)
  if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or libc.prctl(
      PR_SET_SECCOMP, FILTER_MODE, ctypes.create_string_buffer(header), 0,
      0) != 0:
    raise OSError(ctypes.get_errno(), "the filter was refused")


def run(command):
  return subprocess.run(command, preexec_fn=filter_sockets,
                        stdout=subprocess.PIPE, text=True, check=False)


def main():
  if platform.machine() not in SOCKET:
    sys.exit(f"expected x86_64 or aarch64, got {platform.machine()}")
  # The filter is one that finds sockets.
  asking = "import socket; socket.socket(socket.AF_INET, socket.SOCK_STREAM)"
  if run([sys.executable, "-c", asking]).returncode >= 0:
    sys.exit("expected the filter to end a program that opens a socket")
  result = run([f"{os.environ['SYSTOLIC_BUILD_DIR']}/bin/eager"])
  if result.returncode != 0:
    sys.exit(f"eager: expected no socket, got status {result.returncode}")
  if "row sums" not in result.stdout:
    sys.exit(f"eager: expected its output, got {result.stdout!r}")


main()
