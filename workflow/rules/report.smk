# All experiments together: claims, errata, ledger, manifest and the report.


localrules: collect


rule collect:
    message: "gathering the experiments, and writing the report"
    input:
        [path for id in MADE or SELECTED for path in products(id)], "<results>/audit.csv",
        "data/inventory/statements.csv",
        "config/parts.yaml",
        "CITATION.cff",
        sorted(map(str, Path("src/reproduction/report/templates").iterdir())),
        [path for name in ("robustness", "perturbed") if os.path.exists(path := f"{RESULTS}/{name}.csv")],
    output:
        [f"<results>/{kind}.csv" for kind in ("claims", "errata", "ledger", "not_made")],
        "<results>/errata.md",
        "<results>/config.yaml",
        "<results>/report.html",
        "<results>/manifest.json",
        "<results>/ro-crate-metadata.json",
        sums="<results>/sums/report.sha256",
    params:
        made=MADE,
        absent=[f"--absent={id}:{name}" for id in SELECTED for name in lacks(id)],
        effective=json.dumps(settings.effective({**config, "run": MADE}, SCALE)),
        about=[(EXPERIMENTS[id].part, EXPERIMENTS[id].title, EXPERIMENTS[id].source) for id in MADE],
        code=code.version("reproduction.commands.collect", "reproduction.report"),
    log: "<results>/logs/report.log"
    benchmark: "<results>/benchmarks/report.jsonl"
    shell:
        "dpsampling collect {params.made} --results {RESULTS} --effective {params.effective:q} {params.absent}"
        " --sums {output.sums} > {log} 2>&1"
