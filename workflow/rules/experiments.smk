# One experiment: parameters → table → figure and claims. Every rule is one call of the command line.
#
# Resources are for a cluster: a job peaks at 250 MB and two engine processes beside it at 130 MB each (measured), in
# at most 7 s on one core.


rule table:
    message: "computing {wildcards.experiment}"
    input:
        needed=lambda wildcards: [path for files in needed_of(wildcards).values() for path in files],
        told=told_of,
        library=library("table"),
    output:
        table=ensure("{root}/tables/{experiment}.csv", non_empty=True),
        provenance=ensure("{root}/tables/{experiment}.provenance.json", non_empty=True),
    params:
        settings=settings_of,
        seed=config["seed"],
        stream=lambda wildcards: EXPERIMENTS[wildcards.experiment].stream_name,
        needed=lambda wildcards: [f"--{name}={path}" for name, files in needed_of(wildcards).items() for path in files],
    log: "{root}/logs/table/{experiment}.log"
    benchmark: "{root}/benchmarks/table/{experiment}.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        "dpsampling table {wildcards.experiment} {params.settings:q} --seed {params.seed} {params.needed:q}"
        " --out {output.table} > {log} 2>&1"


rule figure:
    message: "drawing {wildcards.experiment}"
    input:
        table="{root}/tables/{experiment}.csv",
        provenance="{root}/tables/{experiment}.provenance.json",
        published=published_of,
        library=library("figure"),
    output:
        pdf=ensure("{root}/figures/{experiment}.pdf", non_empty=True),
        png=report(
            ensure("{root}/figures/{experiment}.png", non_empty=True),
            caption="../report/figure.rst",
            category=lambda wildcards: parts()[EXPERIMENTS[wildcards.experiment].part],
            labels=lambda wildcards: {"figure": wildcards.experiment, "shows": EXPERIMENTS[wildcards.experiment].title},
        ),
    params:
        title=lambda wildcards: EXPERIMENTS[wildcards.experiment].title,
        source=lambda wildcards: EXPERIMENTS[wildcards.experiment].source,
    log: "{root}/logs/figure/{experiment}.log"
    benchmark: "{root}/benchmarks/figure/{experiment}.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        "dpsampling figure {wildcards.experiment} --table {input.table} --out {output.pdf} --out {output.png} > {log} 2>&1"


rule claims:
    message: "judging the claims of {wildcards.experiment}"
    input:
        table="{root}/tables/{experiment}.csv",
        provenance="{root}/tables/{experiment}.provenance.json",
        published=published_of,
        library=library("claims"),
    output:
        claims=ensure("{root}/claims/{experiment}.csv", non_empty=True),
        errata=ensure("{root}/errata/{experiment}.csv", non_empty=True),
        ledger=ensure("{root}/ledger/{experiment}.csv", non_empty=True),
    params:
        source=lambda wildcards: EXPERIMENTS[wildcards.experiment].source,
    log: "{root}/logs/claims/{experiment}.log"
    benchmark: "{root}/benchmarks/claims/{experiment}.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        "dpsampling claims {wildcards.experiment} --table {input.table} --out {output.claims}"
        " --errata {output.errata} --ledger {output.ledger} > {log} 2>&1"
