"""Run Snakemake with the profiles that PROFILE names, one run at a time in this folder.

The operating system holds the lock for as long as Snakemake lives, so that a killed run can simply be started again.
"""

import fcntl
import os
import sys
from pathlib import Path

profiles = []
for name in (os.environ.get("PROFILE") or "default").split():
    found = [f for f in (Path("workflow/profiles", name), Path(name).expanduser()) if list(f.glob("*.yaml"))]
    if not found:
        print(f"dpsampling: there is no profile '{name}'; PROFILE is default, slurm, or a folder.", file=sys.stderr)
        sys.exit(2)
    profiles += ["--profile", str(found[0])]
profiles[-2] = "--workflow-profile"  # laid over the others

Path(".snakemake").mkdir(exist_ok=True)
lock = os.open(".snakemake/dpsampling.lock", os.O_RDWR | os.O_CREAT, 0o666)
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("dpsampling: another run is at work in this folder; wait for it, or clone it elsewhere.", file=sys.stderr)
    sys.exit(2)
os.set_inheritable(lock, True)
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # rules call `dpsampling`
os.execvp("snakemake", ["snakemake", "--nolock", *profiles, *sys.argv[1:]])
