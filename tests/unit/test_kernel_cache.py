"""Compiled kernels older than what they call are dropped, and no others."""

import os

from dpsampling.event_logs.kernel_cache import drop_stale


def test_only_what_is_older_than_what_it_calls_is_dropped(tmp_path):
    cache = tmp_path / "__pycache__"
    cache.mkdir()
    caller, callee = tmp_path / "caller.py", tmp_path / "callee.py"
    old, new, other = (cache / f"{name}.py311.nbi" for name in ("caller.old-1", "caller.new-2", "callee.old-1"))
    for path, when in {caller: 300, callee: 200, old: 100, new: 250, other: 100}.items():
        path.touch()
        os.utime(path, (when, when))
    for _ in range(2):
        drop_stale(str(caller), [str(callee)])
        assert set(cache.iterdir()) == {new, other}
