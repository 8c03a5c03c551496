# All experiments together: claims, errata, ledger, manifest and the report.


localrules: collect


rule collect:
    message: "gathering the experiments, and writing the report"
    input:
        [path for id in MADE or SELECTED for path in products(id)], f"{RESULTS}/audit.csv",
        "data/inventory/statements.csv",
        "config/parts.yaml",
        "CITATION.cff",
        sorted(map(str, Path("src/reproduction/report/templates").iterdir())),
        [path for name in ("robustness", "perturbed") if os.path.exists(path := f"{RESULTS}/{name}.csv")],
    output:
        [f"{RESULTS}/{kind}.csv" for kind in ("claims", "errata", "ledger", "not_made")],
        [f"{RESULTS}/{name}" for name in ("errata.md", "config.yaml", "report.html", "manifest.json", "ro-crate-metadata.json")],
        sums=f"{RESULTS}/sums/report.sha256",
    params:
        made=MADE,
        absent=[f"--absent={id}:{name}" for id in SELECTED for name in lacks(id)],
        effective=json.dumps(settings.effective({**config, "run": MADE}, SCALE)),
        about=[(EXPERIMENTS[id].part, EXPERIMENTS[id].title, EXPERIMENTS[id].source) for id in MADE],
        code=code.version("reproduction.commands.collect", "reproduction.report"),
    log: f"{RESULTS}/logs/report.log"
    benchmark: f"{RESULTS}/benchmarks/report.jsonl"
    shell:
        "dpsampling collect {params.made} --results {RESULTS} --effective {params.effective:q} {params.absent}"
        " --sums {output.sums} > {log} 2>&1"
