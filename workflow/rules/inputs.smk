# What several experiments share: event logs as counts, private fits of them, designs of data sets, and sweeps of
# private classifiers. What is made of somebody's rows is kept in private/, everything else among the results.


def place_of_log(log):
    if log not in LOG_FILES:
        sys.exit(f"dpsampling: the workflow makes logs of config/logs; put {log} there and name it without ending.")
    return PRIVATE if LOG_FILES[log] else RESULTS


def place_of_dataset(dataset):
    return RESULTS if descriptions.is_public(descriptions.description(dataset)) else PRIVATE


if PRIVATE in {*map(place_of_log, LOG_FILES), *map(place_of_dataset, descriptions.names())}:
    files.close(Path(PRIVATE))  # before the engine writes there


def counts_of(id):
    """The counted logs of an experiment."""
    rows = f"{PARAMETERS[id]['rows']:g}"
    return [f"{place_of_log(log)}/counts/{log}-{rows}.npz" for log in paths.logs(PARAMETERS[id])]


def files_or_parts(wildcards):
    """A log's files, or what is read of each by itself; a log that says who a row is about is read as a whole."""
    given = LOG_FILES[wildcards.log]
    if len(given) < 2 or schema.load(wildcards.log).unit_column is not None:
        return given
    return [f"{wildcards.place}/counts/{wildcards.log}-{part_of(path)}.part.npz" for path in given]


def given_rows(wildcards, input):
    """The rows as an option: files, what was read of each, or how many are simulated."""
    kind = "parts" if ".part.npz" in str(input.rows) else "raw"
    return [f"--{kind}", *input.rows] if input.get("rows") else [f"--rows={wildcards.rows}"]


def part_of(path):
    """The name of what is read of a file, which files that come or go beside it do not change."""
    return hashlib.sha256(path.encode()).hexdigest()[:12]


def schema_of(wildcards):
    """What a log's reading rests on besides its rows: its description, and its published counts."""
    counted = [] if LOG_FILES[wildcards.log] else [schema.load(wildcards.log).counted()]
    return [os.path.relpath(path) for path in (*schema.files(wildcards.log), *filter(None, counted))]


def options(id, names):
    """Some of an experiment's parameters, as options of the command line."""
    return [f"--set={option}" for option in parsing.settings({name: PARAMETERS[id][name] for name in names})]


rule part:
    message: "reading {input.rows}"
    input: rows=lambda w: next(path for path in LOG_FILES[w.log] if part_of(path) == w.part), schema=schema_of
    output: "{place}/counts/{log}-{part}.part.npz", sums="{place}/sums/counts/{log}-{part}.part.sha256"
    params: code=code.version("dpsampling.event_logs.reader")
    log: "{place}/logs/counts/{log}-{part}.part.log"
    benchmark: "{place}/benchmarks/counts/{log}-{part}.jsonl"
    resources: mem_mb=2000, runtime=60
    shell:
        "dpsampling warlogs count {wildcards.log} --raw {input.rows:q} --part --out {output[0]} --sums {output.sums}"
        " > {log} 2>&1"


rule counts:
    message: "counting the log {wildcards.log}"
    input: rows=files_or_parts, schema=schema_of
    output: "{place}/counts/{log}-{rows}.npz", sums="{place}/sums/counts/{log}-{rows}.sha256"
    params:
        rows=given_rows,
        seed=config["seed"],
        code=code.version("dpsampling.event_logs.counts"),
    log: "{place}/logs/counts/{log}-{rows}.log"
    benchmark: "{place}/benchmarks/counts/{log}-{rows}.jsonl"
    resources: mem_mb=2000, runtime=60
    shell:
        "dpsampling warlogs count {wildcards.log} {params.rows:q} --seed {params.seed} --out {output[0]}"
        " --sums {output.sums} > {log} 2>&1"


rule fit:
    message: "fitting the log {wildcards.log} for {wildcards.id} at epsilon {wildcards.epsilon}"
    input: "{place}/counts/{log}-{rows}.npz"
    output: "{place}/fits/{id}/{log}-{rows}/{epsilon}.csv", sums="{place}/sums/fits/{id}/{log}-{rows}/{epsilon}.sha256"
    params:
        settings=lambda w: options(w.id, ("splits", "share", "states", "alpha", "beta", "iterations", "burn_in", "multipliers")),
        seed=config["seed"],
        code=code.version("dpsampling.event_logs.sweep", "dpsampling.event_logs.splits"),
    log: "{place}/logs/fits/{id}/{log}-{rows}/{epsilon}.log"
    benchmark: "{place}/benchmarks/fits/{id}/{log}-{rows}/{epsilon}.jsonl"
    shell:
        "dpsampling warlogs fit --for {wildcards.id} --counts {input} --epsilon {wildcards.epsilon} {params.settings:q}"
        " --seed {params.seed} --out {output[0]} --sums {output.sums} > {log} 2>&1"


rule design:
    message: "making the design of {wildcards.dataset}"
    input: lambda w: [os.path.relpath(path) for path in paths.dataset_files(w.dataset)], "config/datasets/{dataset}.yaml"
    output: "{place}/designs/{dataset}.npz", sums="{place}/sums/designs/{dataset}.sha256"
    params: code=code.version("dpsampling.datasets.making")
    log: "{place}/logs/designs/{dataset}.log"
    benchmark: "{place}/benchmarks/designs/{dataset}.jsonl"
    shell: "dpsampling design {wildcards.dataset} --out {output[0]} --sums {output.sums} > {log} 2>&1"


rule sweep:
    message: "drawing classifiers of {wildcards.dataset} for {wildcards.id}"
    input: "{place}/designs/{dataset}.npz"
    output: "{place}/sweeps/{id}/{dataset}.csv", sums="{place}/sums/sweeps/{id}/{dataset}.sha256"
    params:
        settings=lambda w: options(w.id, paths.SWEEP_PARAMETERS),
        seed=config["seed"],
        code=code.version("reproduction.inputs.sweeps"),
    log: "{place}/logs/sweeps/{id}/{dataset}.log"
    benchmark: "{place}/benchmarks/sweeps/{id}/{dataset}.jsonl"
    priority: 1  # of all jobs the longest
    shell:
        "dpsampling logistic sweep --for {wildcards.id} --design {input} {params.settings:q} --seed {params.seed}"
        " --out {output[0]} --sums {output.sums} > {log} 2>&1"
