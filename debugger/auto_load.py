"""Loads kith_gdb.py. gdb runs this file by itself, because it is installed by the name of libkith.so
below share/gdb/auto-load; the scripts are in share/kith."""

import os

import gdb

share = os.path.abspath(__file__).partition("/gdb/auto-load/")[0]
gdb.execute(f"source {share}/kith/kith_gdb.py")
