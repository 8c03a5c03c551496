# Data sets: fetch → design. What asks for one whose files are nowhere is not made, and says so; everything else is.
#
# `fetch` always ends well and writes whether the files are there, so that the plan can be made over with what came. It is
# run again where that has changed since (a file was put there, or taken away) and by `make data`, not by an edit of what
# it is made of: a run with nothing to do asks no network.
#
# Designs of rows that cannot be had by anybody go to private/, as event logs from a file do.


localrules: fetch, absent


wildcard_constraints:
    dataset="|".join(descriptions.names()) or "none",


def is_there(dataset):
    """Whether the files of a data set are where they are to be, whatever they hold."""
    return all(path.is_file() for path in descriptions.places(descriptions.description(dataset)))


def told_otherwise(wildcards):
    """Whether what was found out of a data set no longer holds."""
    try:
        return strict_json.read(Path(FETCHED.format(dataset=wildcards.dataset)))["found"] != is_there(wildcards.dataset)
    except (OSError, ValueError, KeyError, TypeError):
        return False  # nothing was found out yet


@cache
def known_to_be_there(dataset):
    """Whether it was found, and its files are still there: then no plan waits for what is found out of it anew."""
    try:
        return strict_json.read(Path(FETCHED.format(dataset=dataset)))["found"] is True and is_there(dataset)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def rows_of_dataset(wildcards):
    """The files of a data set, as far as they are there: the command says what is not."""
    if workflow.is_main_process and not known_to_be_there(wildcards.dataset):
        checkpoints.fetch.get(dataset=wildcards.dataset)
    return [path for path in relative(descriptions.places(descriptions.description(wildcards.dataset))) if os.path.exists(path)]


def place_of_dataset(root, dataset):
    """The tree for what is made of a data set's rows: the results', or for somebody's rows the private one beside it."""
    return root if descriptions.is_public(descriptions.description(dataset)) else private_of(root)


def design_of(root, dataset):
    """The design of a data set."""
    return f"{place_of_dataset(root, dataset)}/designs/{dataset}.npz"


checkpoint fetch:
    message: "looking for the data set {wildcards.dataset}"
    input:
        seal=seal("data/raw/{dataset}", told_otherwise),
        told=lambda wildcards: relative([descriptions.path_of(wildcards.dataset)]),
    output: ensure(FETCHED, non_empty=True)
    log: "data/raw/logs/{dataset}.log"
    benchmark: "data/raw/benchmarks/{dataset}.jsonl"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    shell:
        JOB + "fetch {wildcards.dataset:q} --told {output:q} > {log:q} 2>&1"


rule design:
    message: "making the design of {wildcards.dataset}"
    input:
        seal=seal("{place}/designs/{dataset}"),
        raw=rows_of_dataset,
        told=lambda wildcards: relative([descriptions.path_of(wildcards.dataset)]),
        library=library_of("datasets.design", "datasets.tables", "datasets.images"),
    output: ensure("{place}/designs/{dataset}.npz", non_empty=True)
    log: "{place}/logs/designs/{dataset}.log"
    benchmark: "{place}/benchmarks/designs/{dataset}.jsonl"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=5,
    shell:
        JOB + "design {wildcards.dataset:q} --out {output:q} > {log:q} 2>&1"


rule absent:
    message: "writing what is not made, and why"
    input:
        seal=seal("{root}/absent"),
        fetched=lambda wildcards: fetched_for(wildcards.root),
        library=COLLECT,
    output: ensure("{root}/not_made.csv", non_empty=True)
    params:
        needs=lambda wildcards: [f"--needs={e}:{d}" for e in SELECTED for d in datasets_of(wildcards.root, e)],
    log: "{root}/logs/absent.log"
    benchmark: "{root}/benchmarks/absent.jsonl"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    shell:
        JOB + "absent {input.fetched:q} {params.needs:q} --out {output:q} > {log:q} 2>&1"
