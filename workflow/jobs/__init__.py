"""How the many small jobs of a run on this machine cost little besides their own work.

`here` is what the run calls: it fits the engine to such jobs and starts the `server`, which imports the libraries once
and forks for each job; the program `dpsampling` in this folder is what the rules then find under that name, and hands
its job to the server.
"""
