#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py DRIVER TP_ANALYZE: runs the driver and compares its profile with what it prints."""
import json
import os
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as folder:
    data = os.path.join(folder, "data")
    environment = {**os.environ, "TP_EVENT": "virtual", "TP_DATA": data}
    expected = json.loads(subprocess.run([sys.argv[1]], env=environment, stdout=subprocess.PIPE, check=True).stdout)
    profile = json.loads(subprocess.run([sys.argv[2], "-q", "--simulate", "never", "--json", "-", "-d", data, "-o", folder],
                                        stdout=subprocess.PIPE, check=True).stdout)
got = {name: profile[name] for name in expected}
if got != expected or not profile["complete"]:
    sys.exit(f"expected {expected}, got {got}; incomplete because of {profile['incomplete_reasons']}")
