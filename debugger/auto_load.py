"""Loads kith_gdb.py. gdb runs this file by itself, because it is installed by the name of libkith.so
below share/gdb/auto-load; the scripts are in share/kith."""

import os
import sys

import gdb

share = os.path.abspath(__file__).partition("/gdb/auto-load/")[0]
# While gdb runs this file, __file__ of a file that it sources may still name this one.
sys.path.insert(0, f"{share}/kith")
gdb.execute(f"source {share}/kith/kith_gdb.py")
