# One experiment: parameters → table → figure and claims. Every rule is one call of the command line.
#
# Resources are for a cluster: a job peaks at 350 MB and two engine processes beside it at 130 MB each (measured), in
# at most 5 minutes on one core.


rule table:
    message: "computing {wildcards.experiment}"
    input:
        seal=seal("{root}/table/{experiment}"),
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
        runtime=30,
    shell:
        JOB + "table {wildcards.experiment:q} {params.settings:q} --seed {params.seed:q} {params.needed:q}"
        " --out {output.table:q} > {log:q} 2>&1"


rule figure:
    message: "drawing {wildcards.experiment}"
    input:
        seal=seal("{root}/figure/{experiment}"),
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
        JOB + "figure {wildcards.experiment:q} --table {input.table:q} --out {output.pdf:q} --out {output.png:q} > {log:q} 2>&1"


rule claims:
    message: "judging the claims of {wildcards.experiment}"
    input:
        seal=seal("{root}/claims/{experiment}"),
        table="{root}/tables/{experiment}.csv",
        provenance="{root}/tables/{experiment}.provenance.json",
        published=published_of,
        library=library("claims"),
    output:
        claims=ensure("{root}/claims/{experiment}.csv", non_empty=True),
        errata=ensure("{root}/errata/{experiment}.csv", non_empty=True),
        ledger=ensure("{root}/ledger/{experiment}.csv", non_empty=True),
        perturbed=ensure("{root}/perturbed/{experiment}.csv", non_empty=True),
    params:
        source=lambda wildcards: EXPERIMENTS[wildcards.experiment].source,
    log: "{root}/logs/claims/{experiment}.log"
    benchmark: "{root}/benchmarks/claims/{experiment}.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        JOB + "claims {wildcards.experiment:q} --table {input.table:q} --out {output.claims:q}"
        " --errata {output.errata:q} --ledger {output.ledger:q} --perturbed {output.perturbed:q} > {log:q} 2>&1"
