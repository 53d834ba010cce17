# SPDX-License-Identifier: Apache-2.0
"""Boots the emulated machine with a list of jobs and returns their output files."""
import os
import subprocess
import tarfile
import time

TIME_LIMIT = 1800  # seconds; only a guest that hangs takes this long


class Failure(Exception):
    """An error, described in one line."""


def archive_of(text):
    """A cpio archive that contains the text as /jobs, to be appended to the initrd."""
    data = text.encode()

    def entry(name, mode, body):
        fields = [0, mode, 0, 0, 1, 0, len(body), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name + b"\0"
        return head + b"\0" * (-len(head) % 4) + body + b"\0" * (-len(body) % 4)
    return entry(b"jobs", 0o100644, data) + entry(b"TRAILER!!!", 0, b"")


class Machine:
    """A kind of guest: `options` are QEMU's. Instructions can be counted only with -icount."""

    def __init__(self, name, options):
        self.name = name
        self.options = options

    def run(self, files, jobs, folder):
        """Runs the shell lines in a fresh guest and copies the guest's /out to `folder`.

        Returns the elapsed time in seconds."""
        os.makedirs(folder)
        initrd = os.path.join(folder, "initrd")
        with open(initrd, "wb") as out, open(os.path.join(files, "initrd"), "rb") as base:
            packed = base.read()
            out.write(packed + b"\0" * (-len(packed) % 512) + archive_of("\n".join(jobs) + "\n"))
        results = os.path.join(folder, "out.tar")
        command = ["qemu-system-aarch64", "-M", "virt", "-m", "512", *self.options.split(), "-nodefaults", "-nographic",
                   "-no-reboot", "-kernel", os.path.join(files, "vmlinuz"), "-initrd", initrd,
                   "-append", "console=ttyAMA0 quiet panic=-1 norandmaps", "-serial", "stdio",
                   "-chardev", f"file,id=out,path={results}", "-device", "virtio-serial-device",
                   "-device", "virtserialport,chardev=out"]
        start = time.monotonic()
        try:
            ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            raise Failure(f"guest '{self.name}' hangs")
        os.unlink(initrd)
        console = ran.stdout.decode(errors="replace")
        try:
            with tarfile.open(results) as archive:
                archive.extractall(folder)
        except (OSError, tarfile.TarError) as problem:
            raise Failure(f"guest '{self.name}' sent nothing ({problem}); its console:\n{console}")
        if "Kernel panic" in console or "BUG:" in console:
            raise Failure(f"guest '{self.name}':\n{console}")
        return time.monotonic() - start
