#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The patches of each version are as `refresh` writes them: none was edited by hand. A version whose
# source is not available is left out; without any, the test is skipped.
set -u
patches=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../tbb-patch" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
checked=0 failed=0
for pins in "$patches"/*/UPSTREAM; do
  version=$(basename "$(dirname "$pins")")
  if ! "$patches/edit" "$version" "$work/repository" >"$work/log" 2>&1; then
    grep -q 'not available' "$work/log" && continue
    cat "$work/log"
    failed=1
    continue
  fi
  "$patches/refresh" --check "$version" "$work/repository" && checked=$((checked + 1)) || failed=1
done
[ $failed -eq 0 ] || exit 1
[ $checked -gt 0 ] || exit 77
