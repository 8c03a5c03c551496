# Event logs: simulate → read (a job a file) → features → counts → split → fit (log × ε, every model and mechanism) →
# evaluate.
# What comes after is a table like any other: an experiment that needs scores gathers them, pictures fit the counts.
#
# Fits are fat jobs on purpose: a chain takes 30 ms, a job half a second before it starts. One job an ε and log, so that
# a longer grid computes its new points alone.
#
# A log that names no rows but published counts begins with these: its chain is counts → split → fit → evaluate, and in
# results/, for they are public.
#
# What is made from the rows of a file goes to private/ and not to results/, with its logs and benchmarks: entries, counts,
# splits and scores hold exact numbers of somebody's rows. What experiments make of them is an evaluation and says so.

SIMULATED = "data/simulated/{log}-{rows}.csv"
LOG = "{place}/warlogs/{log}-{rows}"
SWEEP = LOG + "/{experiment}"  # what is fitted for one experiment


PART = LOG + "/parts/{part}.npz"  # what one of several files holds; whatever its name, this one is plain


@cache
def files_of(log):
    """The files with a log's rows: the configured ones, or the schema's own; none if it is simulated."""
    try:
        told = located.texts(config["logs"].get(log)) or schema.load(log).raw
        settled.patterns.update(told)
        return [str(path) for path in located.of_a_run(told, f"log {log}: file")]
    except InputError as error:
        print(f"dpsampling: {error}", file=sys.stderr)
        sys.exit(2)


@cache
def in_parts(log):
    """Whether a log is read by a job a file: one that says who a row is about is read as a whole, for a unit's rows may be anywhere."""
    return len(files_of(log)) > 1 and schema.load(log).unit_column is None


@cache
def parts_of(log):
    """The files of a log by the names of their parts, which files that come or go beside them do not change."""
    return {hashlib.sha256(path.encode()).hexdigest()[:12]: path for path in files_of(log)}


def raw_of(wildcards):
    """The raw files of a log, or the simulated one."""
    return files_of(wildcards.log) or SIMULATED.format(log=wildcards.log, rows=wildcards.rows)


def rows_of(wildcards):
    """What the entries of a log are made from: its raw files, or the parts that were read of them one by one."""
    if not in_parts(wildcards.log):
        return raw_of(wildcards)
    return [PART.format(**dict(wildcards.items()), part=part) for part in parts_of(wildcards.log)]


@cache
def published_counts_of(log):
    """The table with a log's published counts, unless rows are configured or it has none."""
    counted = schema.load(log).counted()
    return [] if files_of(log) or counted is None else relative([counted])


def counted_from(wildcards):
    """What a log's counts are made from: its features, or the published ones."""
    return published_counts_of(wildcards.log) or [LOG.format(**dict(wildcards.items())) + "/features.npz"]


def place_of(root, log):
    """The tree for what is read and counted of a log: the results', or for rows from a file the private one beside it."""
    return private_of(root) if files_of(log) else root


def root_of(place):
    """The results that a tree belongs to."""
    return place.replace(PRIVATE, "results", 1)


def schema_files(wildcards):
    """What a log's reading rests on besides its rows."""
    return sorted(os.path.relpath(path, workflow.basedir) for path in schema.files(wildcards.log))


def library_of(*modules):
    return relative(dependencies.module_files(*modules))


def sweep_settings(wildcards):
    """What decides a fit, besides its ε and its log."""
    return sweep_options(wildcards, ("states", "alpha", "beta", "iterations", "burn_in", "multipliers"))


def sweep_options(wildcards, names):
    """Some of an experiment's parameters as options."""
    return settings_for(root_of(wildcards.place), wildcards.experiment, names)


wildcard_constraints:
    epsilon="inf|[0-9.e+-]+",
    place=f"(results|{PRIVATE})(/quick)?",
    part="[0-9a-f]+",


rule simulate:
    message: "simulating the log {wildcards.log}"
    input:
        seal=seal("data/simulated/{log}-{rows}"),
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
        JOB + "warlogs simulate {wildcards.log:q} --rows {wildcards.rows:q} --seed {params.seed:q} --out {output.raw:q}"
        " --planted {output.planted:q} > {log:q} 2>&1"


rule read_part:
    message: "reading {input.raw} of the log {wildcards.log}"
    input:
        seal=seal("{place}/warlogs/{log}-{rows}/read-{part}"),
        raw=lambda wildcards: parts_of(wildcards.log)[wildcards.part],
        schema=schema_files,
        library=library_of("warlogs.reader"),
    output: ensure(PART, non_empty=True)
    log: "{place}/logs/warlogs/{log}-{rows}/read-{part}.log"
    benchmark: "{place}/benchmarks/warlogs/{log}-{rows}/read-{part}.jsonl"
    threads: 2
    resources:
        mem_mb=2000,
        runtime=60,
    shell:
        JOB + "warlogs read {wildcards.log:q} --raw {input.raw:q} --part --out {output:q} > {log:q} 2>&1"


rule read:
    message: "reading the log {wildcards.log}"
    input:
        seal=seal("{place}/warlogs/{log}-{rows}/read"),
        rows=rows_of,
        schema=schema_files,
        library=library_of("warlogs.reader"),
    output:
        entries=ensure(LOG + "/entries.npz", non_empty=True),
        told=ensure(LOG + "/read.json", non_empty=True),
    params:
        origin=lambda wildcards: "file" if files_of(wildcards.log) else "simulated",
        source=lambda wildcards: "--parts" if in_parts(wildcards.log) else "--raw",
    log: "{place}/logs/warlogs/{log}-{rows}/read.log"
    benchmark: "{place}/benchmarks/warlogs/{log}-{rows}/read.jsonl"
    threads: 2
    resources:
        mem_mb=2000,
        runtime=60,
    shell:
        JOB + "warlogs read {wildcards.log:q} {params.source:q} {input.rows:q} --origin {params.origin:q}"
        " --out {output.entries:q} --report {output.told:q} > {log:q} 2>&1"


rule features:
    message: "reducing the log {wildcards.log} to its features"
    input:
        seal=seal("{place}/warlogs/{log}-{rows}/features"),
        entries=LOG + "/entries.npz",
        schema=schema_files,
        library=library_of("warlogs.features"),
    output:
        features=ensure(LOG + "/features.npz", non_empty=True),
        told=ensure(LOG + "/features.json", non_empty=True),
    log: "{place}/logs/warlogs/{log}-{rows}/features.log"
    benchmark: "{place}/benchmarks/warlogs/{log}-{rows}/features.jsonl"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=5,
    shell:
        JOB + "warlogs features {wildcards.log:q} --entries {input.entries:q} --out {output.features:q}"
        " --report {output.told:q} > {log:q} 2>&1"


rule counts:
    message: "counting the log {wildcards.log}"
    input:
        seal=seal("{place}/warlogs/{log}-{rows}/counts"),
        source=counted_from,
        schema=schema_files,
        library=library_of("warlogs.counts"),
    output: ensure(LOG + "/counts.npz", non_empty=True)
    params:
        features=lambda wildcards, input: [] if published_counts_of(wildcards.log) else ["--features", *input.source],
    log: "{place}/logs/warlogs/{log}-{rows}/counts.log"
    benchmark: "{place}/benchmarks/warlogs/{log}-{rows}/counts.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        JOB + "warlogs counts {wildcards.log:q} {params.features:q} --out {output:q} > {log:q} 2>&1"


rule split:
    message: "splitting the log {wildcards.log} for {wildcards.experiment}"
    input:
        seal=seal("{place}/warlogs/{log}-{rows}/{experiment}/split"),
        counts=LOG + "/counts.npz",
        library=library_of("warlogs.splits", "warlogs.counts"),
    output: ensure(SWEEP + "/splits.csv", non_empty=True)
    params:
        settings=lambda wildcards: sweep_options(wildcards, ("splits", "share")),
        seed=config["seed"],
        stream=lambda wildcards: EXPERIMENTS[wildcards.experiment].stream_name,
    log: "{place}/logs/warlogs/{log}-{rows}/{experiment}/split.log"
    benchmark: "{place}/benchmarks/warlogs/{log}-{rows}/{experiment}/split.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        JOB + "warlogs split --for {wildcards.experiment:q} --counts {input.counts:q} {params.settings:q}"
        " --seed {params.seed:q} --out {output:q} > {log:q} 2>&1"


rule fit:
    message: "fitting the log {wildcards.log} for {wildcards.experiment} at epsilon {wildcards.epsilon}"
    input:
        seal=seal("{place}/warlogs/{log}-{rows}/{experiment}/fit-{epsilon}"),
        counts=LOG + "/counts.npz",
        splits=SWEEP + "/splits.csv",
        library=library_of("warlogs.sweep", "warlogs.splits", "warlogs.counts", "warlogs.gibbs", "warlogs.latent"),
    output: ensure(SWEEP + "/fits/{epsilon}.npz", non_empty=True)
    params:
        settings=sweep_settings,
        seed=config["seed"],
        stream=lambda wildcards: EXPERIMENTS[wildcards.experiment].stream_name,
    log: "{place}/logs/warlogs/{log}-{rows}/{experiment}/fit-{epsilon}.log"
    benchmark: "{place}/benchmarks/warlogs/{log}-{rows}/{experiment}/fit-{epsilon}.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        JOB + "warlogs fit --for {wildcards.experiment:q} --counts {input.counts:q} --splits {input.splits:q}"
        " --epsilon {wildcards.epsilon:q}"
        " {params.settings:q} --seed {params.seed:q} --out {output:q} > {log:q} 2>&1"


rule evaluate:
    message: "scoring the log {wildcards.log} for {wildcards.experiment} at epsilon {wildcards.epsilon}"
    input:
        seal=seal("{place}/warlogs/{log}-{rows}/{experiment}/evaluate-{epsilon}"),
        fits=SWEEP + "/fits/{epsilon}.npz",
        library=library_of("warlogs.sweep"),
    output: ensure(SWEEP + "/scores/{epsilon}.csv", non_empty=True)
    log: "{place}/logs/warlogs/{log}-{rows}/{experiment}/evaluate-{epsilon}.log"
    benchmark: "{place}/benchmarks/warlogs/{log}-{rows}/{experiment}/evaluate-{epsilon}.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        JOB + "warlogs evaluate --fits {input.fits:q} --out {output:q} > {log:q} 2>&1"
