# Private classifiers: design → sweep (a data set) → table. A sweep is one fat job: what takes time is shared by its points.
#
# A job peaks at 700 MB (measured on MNIST) and takes up to two minutes of one core.

SWEEP = "{place}/logistic/{experiment}/{dataset}.csv"


def sweep_of(root, experiment, dataset):
    """Where the scores on a data set are: of the experiment whose stream is shared, if that asks for the same."""
    first = EXPERIMENTS[experiment].stream_name
    other = EXPERIMENTS.get(first)
    if other is None or other.needs != "sweeps" or swept_by(root, first) != swept_by(root, experiment):
        first = experiment
    return SWEEP.format(place=place_of_dataset(root, dataset), experiment=first, dataset=dataset)


def swept_by(root, experiment):
    """What decides a sweep besides its data set, as options."""
    return settings_for(root, experiment, paths.SWEEP_PARAMETERS)


rule sweep:
    message: "drawing classifiers of {wildcards.dataset} for {wildcards.experiment}"
    input:
        seal=seal("{place}/logistic/{experiment}/{dataset}"),
        design="{place}/designs/{dataset}.npz",
        library=library_of("inputs.sweeps"),
    output: ensure(SWEEP, non_empty=True)
    params:
        settings=lambda wildcards: swept_by(root_of(wildcards.place), wildcards.experiment),
        seed=config["seed"],
        stream=lambda wildcards: EXPERIMENTS[wildcards.experiment].stream_name,
    log: "{place}/logs/logistic/{experiment}/{dataset}.log"
    benchmark: "{place}/benchmarks/logistic/{experiment}/{dataset}.jsonl"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=15,
    shell:
        JOB + "logistic sweep --for {wildcards.experiment:q} --design {input.design:q} {params.settings:q}"
        " --seed {params.seed:q} --out {output:q} > {log:q} 2>&1"
