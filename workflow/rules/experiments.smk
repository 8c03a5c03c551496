# One experiment is two jobs: the first computes its table, the second draws it and judges the claims of its source by it.

TABLE = ["tables/{id}.csv", "tables/{id}.provenance.json", "sums/tables/{id}.sha256"]
SHOWN = ["figures/{id}.png", "figures/{id}.pdf", "claims/{id}.csv", "errata/{id}.csv", "ledger/{id}.csv", "sums/show/{id}.sha256"]
COMPUTED_BY = ("reproduction.stages.table", "dpsampling.numerics.randomness")
SHOWN_BY = ("reproduction.stages.figure", "reproduction.stages.claims", "reproduction.releases")


def in_results(ids, files):
    return [f"{RESULTS}/{file.format(id=id)}" for id in ids for file in files]


def products(id):
    return in_results([id], [*TABLE, *SHOWN])


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


def needs(id):
    """What an experiment is made from besides its parameters, by the option of `dpsampling table` that takes it."""
    asked = grids.expanded(PARAMETERS[id])
    match EXPERIMENTS[id].needs:
        case "counts":
            return {"counts": counts_of(id)}
        case "scores":
            levels = ["inf", *(repr(float(epsilon)) for epsilon in asked["epsilons"])]
            fits = [path.replace("/counts/", f"/fits/{id}/").removesuffix(".npz") for path in counts_of(id)]
            return {"counts": counts_of(id), "scores": [f"{fit}/{level}.csv" for fit in fits for level in levels]}
        case "dataset":
            return {"dataset": [os.path.relpath(path) for path in paths.dataset_files(asked["dataset"])]}
        case "designs":
            return {"design": [f"{place_of_dataset(name)}/designs/{name}.npz" for name in paths.datasets(asked)]}
        case "sweeps":
            return {"sweep": [sweep_of(id, name) for name in paths.datasets(asked)]}
        case _:
            return {}


def table_command(id):
    inputs = [f"--{option}={path}" for option, files in needs(id).items() for path in files]
    out, _, sums = in_results([id], TABLE)
    settings = [*options(id, PARAMETERS[id]), *inputs, f"--seed={config['seed']}"]
    return shlex.join(["table", id, *settings, f"--out={out}", f"--sums={sums}"])


def show_command(id):
    kinds = ("figure", "figure", "claims", "errata", "ledger", "sums")
    written = [f"--{kind}={path}" for kind, path in zip(kinds, in_results([id], SHOWN))]
    return shlex.join(["show", id, f"--table={in_results([id], TABLE)[0]}", *written])


def code_of(id, own, *shared):
    """The code of some stages of an experiment, and what they share with others."""
    stages = (f"reproduction.experiments.{EXPERIMENTS[id].code}.{stage}".rstrip(".") for stage in ("", *own))
    return code.version(*stages, *shared)


def together(alone=()):
    """At quick scale, where imports take more time than what they are for, most experiments of a part share a job."""
    groups = {}
    for id in EXPERIMENTS:
        shared = SCALE == "quick" and id in MADE and id not in alone
        groups.setdefault(EXPERIMENTS[id].part if shared else id, []).append(id)
    return groups.items()


for name, ids in together(alone=[id for id in MADE if EXPERIMENTS[id].needs]):

    rule:
        name: f"tables_{name}"
        message: f"computing {', '.join(ids)}"
        input: [path for id in ids for files in needs(id).values() for path in files]
        output: in_results(ids, TABLE)
        params:
            commands=[table_command(id) for id in ids],
            stream=[EXPERIMENTS[id].stream_name for id in ids],
            code=lambda w, ids=ids: [code_of(id, ["table"], *COMPUTED_BY) for id in ids],
        log: f"{RESULTS}/logs/table/{name}.log"
        benchmark: f"{RESULTS}/benchmarks/table/{name}.jsonl"
        shell: "dpsampling batch {params.commands:q} > {log} 2>&1"


for name, ids in together():

    rule:
        name: f"figures_{name}"
        message: f"drawing and judging {', '.join(ids)}"
        input: in_results(ids, TABLE[:2]), [f"data/published/{file}" for id in ids for file in EXPERIMENTS[id].published]
        output:
            [report(path, category=parts()[EXPERIMENTS[ids[0]].part]) for path in in_results(ids, SHOWN[:1])],
            in_results(ids, SHOWN[1:]),
        params:
            commands=[show_command(id) for id in ids],
            about=[(EXPERIMENTS[id].title, EXPERIMENTS[id].source) for id in ids],
            code=lambda w, ids=ids: [code_of(id, ["figure", "claims", "releases"], *SHOWN_BY) for id in ids],
        log: f"{RESULTS}/logs/show/{name}.log"
        benchmark: f"{RESULTS}/benchmarks/show/{name}.jsonl"
        shell: "dpsampling batch {params.commands:q} > {log} 2>&1"


rule perturb:
    message: "changing tables until verdicts flip"
    input: in_results(MADE, TABLE[:2])
    output: f"{RESULTS}/perturbed.csv"
    params: code=lambda w: [code_of(id, ["claims"], "reproduction.stages.claims", "reproduction.stages.falsifiability") for id in MADE]
    log: f"{RESULTS}/logs/perturbed.log"
    shell: "dpsampling perturb {MADE} --results {RESULTS} --out {output} > {log} 2>&1"


rule audit:
    message: "pricing and attacking every mechanism, and its liars"
    output: table=f"{RESULTS}/audit.csv", liars=f"{RESULTS}/liars.csv", sums=f"{RESULTS}/sums/audit.sha256"
    params:
        settings=[f"--set={option}" for option in parsing.settings(configuration.audit_of(config, SCALE))],
        seed=config["seed"],
        code=code.version("dpsampling.cli.commands.audit", "dpsampling.audit.every_mechanism"),
    log: f"{RESULTS}/logs/audit.log"
    benchmark: f"{RESULTS}/benchmarks/audit.jsonl"
    priority: 1
    shell:
        "dpsampling audit {params.settings:q} --seed {params.seed} --out {output.table} --liars {output.liars}"
        " --sums {output.sums} > {log} 2>&1"
