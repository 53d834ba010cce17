#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tp-config prints the paths of its own installation, also when called through a link.
. "$(dirname "$0")/common.inc"
config=$TP_TEST_PREFIX/bin/tp-config

expect 0 "$config" --libdir;   in_file out "$TP_TEST_PREFIX/lib"
expect 0 "$config" --cflags;   in_file out "-I$TP_TEST_PREFIX/include"
expect 0 "$config" --cflags --libs; in_file out "-L$TP_TEST_PREFIX/lib -Wl,-rpath,$TP_TEST_PREFIX/lib -ltbb"
expect 0 "$config" --version;  grep -qE '^[0-9]+\.[0-9]+\.[0-9]+$' out || fail "version: $(cat out)"
ln -s "$config" link
expect 0 ./link --prefix;      in_file out "$TP_TEST_PREFIX"
expect 2 "$config";            in_file err 'tp: error: no option given'; in_file err 'hint: tp-config --help'
expect 0 "$config" --help;     in_file out 'Usage: tp-config'
expect 2 "$config" --bogus;    in_file err "tp: error: unknown option '--bogus'"
finish
