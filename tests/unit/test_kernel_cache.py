"""Compiled kernels older than what they call are dropped, and no others."""

import os

from dpsampling.event_logs.kernel_cache import drop_stale


def test_only_what_is_older_than_what_it_calls_is_dropped(tmp_path):
    cache = tmp_path / "__pycache__"
    cache.mkdir()
    caller, callee = tmp_path / "caller.py", tmp_path / "callee.py"
    files = {
        caller: 300,
        callee: 200,
        cache / "caller.old-1.py311.nbi": 100,
        cache / "caller.new-2.py311.nbi": 250,
        cache / "callee.old-1.py311.nbi": 100,
    }
    for path, when in files.items():
        path.touch()
        os.utime(path, (when, when))
    drop_stale(str(caller), [str(callee)])
    assert sorted(path.name for path in cache.iterdir()) == ["callee.old-1.py311.nbi", "caller.new-2.py311.nbi"]
    drop_stale(str(caller), [str(tmp_path / "callee.py")])
    assert len(list(cache.iterdir())) == 2
