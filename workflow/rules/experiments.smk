# One experiment is two jobs: the first computes its table, the second draws it and judges the claims of its source by it.

PRODUCTS = ["figures/{id}.pdf", "figures/{id}.png", "claims/{id}.csv", "errata/{id}.csv", "ledger/{id}.csv"]
TABLE = ["tables/{id}.csv", "tables/{id}.provenance.json"]


def products(id):
    return [f"<results>/{path.format(id=id)}" for path in (*TABLE, *PRODUCTS)]


def lacks(id):
    """The data sets of an experiment whose files are not there: `make data` fetches what anybody can have."""
    return [name for name in paths.datasets(PARAMETERS[id]) if not all(p.is_file() for p in paths.dataset_files(name))]


MADE = [id for id in SELECTED if not lacks(id)]
for id in SELECTED:
    for name in lacks(id):
        print(f"{id} is not made: {fetch.missing(name, descriptions.description(name))}", file=sys.stderr)


def sweep_of(id, dataset):
    """Scores on a data set: those of the experiment whose random stream this one shares, if it asks for the same."""
    other = EXPERIMENTS[id].stream_name
    same = EXPERIMENTS[other].needs == "sweeps" and options(id, paths.SWEEP_PARAMETERS) == options(other, paths.SWEEP_PARAMETERS)
    return f"{place_of_dataset(dataset)}/sweeps/{other if same else id}/{dataset}.csv"


def needs(wildcards):
    """What an experiment is made from besides its parameters, by the option of `dpsampling table` that takes it."""
    id, told = wildcards.id, grids.expanded(PARAMETERS[wildcards.id])
    match EXPERIMENTS[id].needs:
        case "counts":
            return {"counts": counts_of(id)}
        case "scores":
            levels = ["inf", *(repr(float(epsilon)) for epsilon in told["epsilons"])]
            fits = [path.replace("/counts/", f"/fits/{id}/").removesuffix(".npz") for path in counts_of(id)]
            return {"counts": counts_of(id), "scores": [f"{fit}/{level}.csv" for fit in fits for level in levels]}
        case "dataset":
            return {"dataset": [os.path.relpath(path) for path in paths.dataset_files(told["dataset"])]}
        case "designs":
            return {"design": [f"{place_of_dataset(name)}/designs/{name}.npz" for name in paths.datasets(told)]}
        case "sweeps":
            return {"sweep": [sweep_of(id, name) for name in paths.datasets(told)]}
        case _:
            return {}


def code_of(id, own, shared):
    """The code of some stages of an experiment, and what they share with others."""
    return code.version(*(f"reproduction.experiments.{EXPERIMENTS[id].code}.{stage}".rstrip(".") for stage in ("", *own)), *shared)


rule table:
    message: "computing {wildcards.id}"
    input: unpack(needs)
    output: [f"<results>/{path}" for path in TABLE], sums="<results>/sums/tables/{id}.sha256"
    params:
        settings=lambda w: options(w.id, PARAMETERS[w.id]),
        inputs=lambda w, input: [f"--{name}={path}" for name in needs(w) for path in input.get(name)],
        seed=config["seed"],
        stream=lambda w: EXPERIMENTS[w.id].stream_name,
        code=lambda w: code_of(w.id, ["table"], ["reproduction.stages.table", "dpsampling.numerics.randomness"]),
    log: "<results>/logs/table/{id}.log"
    benchmark: "<results>/benchmarks/table/{id}.jsonl"
    shell:
        "dpsampling table {wildcards.id} {params.settings:q} {params.inputs:q} --seed {params.seed}"
        " --out {output[0]} --sums {output.sums} > {log} 2>&1"


rule show:
    message: "drawing and judging {wildcards.id}"
    input:
        table=[f"<results>/{path}" for path in TABLE],
        published=lambda w: [f"data/published/{name}" for name in EXPERIMENTS[w.id].published],
    output:
        pdf="<results>/figures/{id}.pdf",
        png=report("<results>/figures/{id}.png", category=lambda w: parts()[EXPERIMENTS[w.id].part]),
        claims="<results>/claims/{id}.csv",
        errata="<results>/errata/{id}.csv",
        ledger="<results>/ledger/{id}.csv",
        sums="<results>/sums/show/{id}.sha256",
    params:
        about=lambda w: (EXPERIMENTS[w.id].title, EXPERIMENTS[w.id].source),
        code=lambda w: code_of(w.id, ["figure", "claims", "releases"], ["reproduction.stages.figure", "reproduction.stages.claims", "reproduction.releases"]),
    log: "<results>/logs/show/{id}.log"
    benchmark: "<results>/benchmarks/show/{id}.jsonl"
    shell:
        "dpsampling show {wildcards.id} --table {input.table[0]} --figure {output.pdf} --figure {output.png}"
        " --claims {output.claims} --errata {output.errata} --ledger {output.ledger} --sums {output.sums} > {log} 2>&1"


rule perturb:
    message: "changing tables until verdicts flip"
    input: [f"<results>/{path.format(id=id)}" for id in MADE for path in TABLE]
    output: "<results>/perturbed.csv"
    params: code=[code_of(id, ["claims"], ["reproduction.stages.claims", "reproduction.stages.falsifiability"]) for id in MADE]
    log: "<results>/logs/perturbed.log"
    shell: "dpsampling perturb {MADE} --results {RESULTS} --out {output} > {log} 2>&1"


rule audit:
    message: "pricing and attacking every mechanism, and its liars"
    output: table="<results>/audit.csv", liars="<results>/liars.csv", sums="<results>/sums/audit.sha256"
    params:
        settings=[f"--set={option}" for option in parsing.settings(configuration.audit_of(config, SCALE))],
        seed=config["seed"],
        code=code.version("dpsampling.cli.commands.audit", "dpsampling.audit.every_mechanism"),
    log: "<results>/logs/audit.log"
    benchmark: "<results>/benchmarks/audit.jsonl"
    priority: 1
    shell:
        "dpsampling audit {params.settings:q} --seed {params.seed} --out {output.table} --liars {output.liars}"
        " --sums {output.sums} > {log} 2>&1"
