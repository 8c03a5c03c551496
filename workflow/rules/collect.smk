# All experiments of a run: claims, errata, ledger, configuration, manifest and report.
# These are small; on a cluster they run where the workflow itself runs.


localrules: gather, errata_page, configuration, manifest, report_page, crate


COLLECT = relative(dependencies.module_files("collect"))


def effective(root):
    """All that decides the results of the experiments that are made."""
    return json.dumps(settings.effective({**config, "run": made(root)}, scale_of(root)))


rule gather:
    message: "gathering the {wildcards.kind} of all experiments"
    input:
        seal=seal("{root}/gather/{kind}"),
        parts=for_made("{root}/{{kind}}/{experiment}.csv"),
        fetched=lambda wildcards: fetched_for(wildcards.root),
        library=COLLECT,
    output: ensure("{root}/{kind}.csv", non_empty=True)
    wildcard_constraints:
        kind="claims|errata|ledger|perturbed",
    log: "{root}/logs/gather/{kind}.log"
    benchmark: "{root}/benchmarks/gather/{kind}.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        JOB + "gather {input.parts:q} --out {output:q} > {log:q} 2>&1"


rule audit:
    message: "pricing and attacking every mechanism, and its liars"
    input:
        seal=seal("{root}/audit"),
        library=relative(dependencies.module_files("audit", "files")),
    output:
        table=ensure("{root}/audit.csv", non_empty=True),
        liars=ensure("{root}/liars.csv", non_empty=True),
    params:
        settings=lambda wildcards: [f"--set={option}" for option in options_of(audit_of(config, wildcards.root))],
        seed=config["seed"],
    log: "{root}/logs/audit.log"
    benchmark: "{root}/benchmarks/audit.jsonl"
    threads: 1
    priority: 1  # the longest of all jobs is not to be the last
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        JOB + "audit {params.settings:q} --seed {params.seed:q} --out {output.table:q} --liars {output.liars:q} > {log:q} 2>&1"


rule errata_page:
    message: "writing the errata"
    input:
        seal=seal("{root}/errata_page"),
        table="{root}/errata.csv",
        library=COLLECT,
    output:
        report(
            ensure("{root}/errata.md", non_empty=True),
            caption="../report/errata.rst",
            category="Summary",
            labels={"figure": "errata", "shows": "Where the sources' words or curves do not hold"},
        ),
    log: "{root}/logs/errata_page.log"
    benchmark: "{root}/benchmarks/errata_page.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        JOB + "errata --table {input.table:q} --out {output:q} > {log:q} 2>&1"


rule configuration:
    message: "writing the effective configuration"
    input:
        seal=seal("{root}/configuration"),
        fetched=lambda wildcards: fetched_for(wildcards.root),
        library=COLLECT,
    output: ensure("{root}/config.yaml", non_empty=True)
    params:
        effective=lambda wildcards: effective(wildcards.root),
    log: "{root}/logs/configuration.log"
    benchmark: "{root}/benchmarks/configuration.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        JOB + "config --effective {params.effective:q} --out {output:q} > {log:q} 2>&1"


rule report_page:
    message: "writing the report"
    input:
        seal=seal("{root}/report_page"),
        config="{root}/config.yaml",
        robustness=lambda wildcards: [path for path in [f"{wildcards.root}/robustness.csv"] if os.path.exists(path)],
        provenance=for_made("{root}/tables/{experiment}.provenance.json"),
        claims="{root}/claims.csv",
        errata=["{root}/errata.csv", "{root}/errata.md"],
        ledger="{root}/ledger.csv",
        perturbed="{root}/perturbed.csv",
        audit="{root}/audit.csv",
        liars="{root}/liars.csv",
        not_made="{root}/not_made.csv",
        fetched=lambda wildcards: fetched_for(wildcards.root),
        figures=for_made("{root}/figures/{experiment}.png"),
        library=relative(dependencies.module_files("report")),
        templates=relative(sorted((dependencies.SOURCE / "report" / "templates").iterdir())),
        statements="data/inventory/statements.csv",
        parts="config/parts.yaml",
    output: ensure("{root}/report.html", non_empty=True)
    params:
        shown=lambda wildcards: [
            (e.id, e.part, e.title, e.source) for e in map(EXPERIMENTS.__getitem__, made(wildcards.root))
        ],
    log: "{root}/logs/report_page.log"
    benchmark: "{root}/benchmarks/report_page.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        JOB + "report --results {wildcards.root:q} --out {output:q} > {log:q} 2>&1"


rule manifest:
    message: "writing the manifest"
    input:
        seal=seal("{root}/manifest"),
        results=lambda wildcards: [f"{wildcards.root}/{name}" for name in collect.listed(made(wildcards.root))],
        fetched=lambda wildcards: fetched_for(wildcards.root),
        library=COLLECT,
    output: ensure("{root}/manifest.json", non_empty=True)
    params:
        experiments=lambda wildcards: made(wildcards.root),
    log: "{root}/logs/manifest.log"
    benchmark: "{root}/benchmarks/manifest.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        JOB + "manifest {params.experiments:q} --results {wildcards.root:q} --out {output:q} > {log:q} 2>&1"


rule crate:
    message: "describing the results as a research object"
    input:
        seal=seal("{root}/crate"),
        manifest="{root}/manifest.json",
        citation="CITATION.cff",
        library=relative(dependencies.module_files("crate")),
    output: ensure("{root}/ro-crate-metadata.json", non_empty=True)
    log: "{root}/logs/crate.log"
    benchmark: "{root}/benchmarks/crate.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        JOB + "crate {wildcards.root:q} --out {output:q} > {log:q} 2>&1"
