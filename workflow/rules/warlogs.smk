# Event logs: simulate → read → features → counts → split → fit (log × ε, every model and mechanism) → evaluate.
# What comes after is a table like any other: fig4_6 gathers the scores, the pictures fit the counts themselves.
#
# Fits are fat jobs on purpose: a chain takes 30 ms, a job half a second before it starts. One job an ε and log, so that
# a longer grid computes its new points alone.

SIMULATED = "data/simulated/{log}-{rows}.csv"
LOG = "{root}/warlogs/{log}-{rows}"


def raw_of(wildcards):
    """The raw file of a log: the configured one, the schema's own, or a simulated one."""
    return file_of(wildcards.log) or SIMULATED.format(log=wildcards.log, rows=wildcards.rows)


def file_of(log):
    return config["logs"].get(log) or schema.load(log).file


def schema_files(wildcards):
    """What a log's reading rests on besides its rows."""
    return sorted(os.path.relpath(path, workflow.basedir) for path in schema.files(wildcards.log))


def library_of(*modules):
    return relative(dependencies.module_files(*modules))


def sweep_settings(wildcards):
    """What decides a fit, besides its ε and its log."""
    parameters = parameters_of(wildcards.root, "fig4_6")
    names = ("states", "alpha", "beta", "iterations", "burn_in", "multipliers")
    return [f"--set={option}" for option in settings.settings({name: parameters[name] for name in names})]


wildcard_constraints:
    epsilon="inf|[0-9.e+-]+",


rule simulate:
    message: "simulating the log {wildcards.log}"
    input:
        schema=schema_files,
        library=library_of("warlogs.simulator"),
    output:
        raw=ensure(SIMULATED, non_empty=True),
        planted=ensure("data/simulated/{log}-{rows}.planted.csv", non_empty=True),
    params:
        seed=config["seed"],
    log: "data/simulated/logs/{log}-{rows}.log"
    benchmark: "data/simulated/benchmarks/{log}-{rows}.jsonl"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    shell:
        "dpsampling warlogs simulate {wildcards.log} --rows {wildcards.rows} --seed {params.seed} --out {output.raw}"
        " --planted {output.planted} > {log} 2>&1"


rule read:
    message: "reading the log {wildcards.log}"
    input:
        raw=raw_of,
        schema=schema_files,
        library=library_of("warlogs.reader"),
    output:
        entries=ensure(LOG + "/entries.npz", non_empty=True),
        told=ensure(LOG + "/read.json", non_empty=True),
    params:
        origin=lambda wildcards: "file" if file_of(wildcards.log) else "simulated",
    log: "{root}/logs/warlogs/{log}-{rows}/read.log"
    benchmark: "{root}/benchmarks/warlogs/{log}-{rows}/read.jsonl"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    shell:
        "dpsampling warlogs read {wildcards.log} --raw {input.raw:q} --origin {params.origin} --out {output.entries}"
        " --report {output.told} > {log} 2>&1"


rule features:
    message: "reducing the log {wildcards.log} to its features"
    input:
        entries=LOG + "/entries.npz",
        schema=schema_files,
        library=library_of("warlogs.features"),
    output:
        features=ensure(LOG + "/features.npz", non_empty=True),
        told=ensure(LOG + "/features.json", non_empty=True),
    log: "{root}/logs/warlogs/{log}-{rows}/features.log"
    benchmark: "{root}/benchmarks/warlogs/{log}-{rows}/features.jsonl"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=5,
    shell:
        "dpsampling warlogs features {wildcards.log} --entries {input.entries} --out {output.features}"
        " --report {output.told} > {log} 2>&1"


rule counts:
    message: "counting the log {wildcards.log}"
    input:
        features=LOG + "/features.npz",
        schema=schema_files,
        library=library_of("warlogs.counts"),
    output: ensure(LOG + "/counts.npz", non_empty=True)
    log: "{root}/logs/warlogs/{log}-{rows}/counts.log"
    benchmark: "{root}/benchmarks/warlogs/{log}-{rows}/counts.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        "dpsampling warlogs counts {wildcards.log} --features {input.features} --out {output} > {log} 2>&1"


rule split:
    message: "splitting the log {wildcards.log}"
    input:
        counts=LOG + "/counts.npz",
        library=library_of("warlogs.splits", "warlogs.counts"),
    output: ensure(LOG + "/splits.csv", non_empty=True)
    params:
        splits=lambda wildcards: parameters_of(wildcards.root, "fig4_6")["splits"],
        share=lambda wildcards: parameters_of(wildcards.root, "fig4_6")["share"],
        seed=config["seed"],
    log: "{root}/logs/warlogs/{log}-{rows}/split.log"
    benchmark: "{root}/benchmarks/warlogs/{log}-{rows}/split.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        "dpsampling warlogs split --counts {input.counts} --splits {params.splits} --share {params.share}"
        " --seed {params.seed} --out {output} > {log} 2>&1"


rule fit:
    message: "fitting the log {wildcards.log} at epsilon {wildcards.epsilon}"
    input:
        counts=LOG + "/counts.npz",
        splits=LOG + "/splits.csv",
        library=library_of("warlogs.sweep", "warlogs.splits", "warlogs.counts", "warlogs.gibbs", "warlogs.latent"),
    output: ensure(LOG + "/fits/{epsilon}.npz", non_empty=True)
    params:
        settings=sweep_settings,
        seed=config["seed"],
    log: "{root}/logs/warlogs/{log}-{rows}/fit-{epsilon}.log"
    benchmark: "{root}/benchmarks/warlogs/{log}-{rows}/fit-{epsilon}.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "dpsampling warlogs fit --counts {input.counts} --splits {input.splits} --epsilon {wildcards.epsilon}"
        " {params.settings:q} --seed {params.seed} --out {output} > {log} 2>&1"


rule evaluate:
    message: "scoring the log {wildcards.log} at epsilon {wildcards.epsilon}"
    input:
        fits=LOG + "/fits/{epsilon}.npz",
        library=library_of("warlogs.sweep"),
    output: ensure(LOG + "/scores/{epsilon}.csv", non_empty=True)
    log: "{root}/logs/warlogs/{log}-{rows}/evaluate-{epsilon}.log"
    benchmark: "{root}/benchmarks/warlogs/{log}-{rows}/evaluate-{epsilon}.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        "dpsampling warlogs evaluate --fits {input.fits} --out {output} > {log} 2>&1"
