# What the other rule files share: the two result trees, and where things are in them.

STARTED = time.time()
EXPERIMENTS = experiments()
SELECTED = settings.selected(config)
LOGS = schema.names()
QUICK = "results/quick"
RESULTS = QUICK if config["scale"] == "quick" else "results"
PRIVATE = files.PRIVATE


wildcard_constraints:
    root="results(/quick)?",
    experiment="|".join(EXPERIMENTS),
    log="|".join(LOGS),
    rows="[0-9.]+",


report: "../report/workflow.rst"


# How every rule begins what it runs: see `dpsampling job --help`.
JOB = "dpsampling job --seal {input.seal:q} --reads {input:q} --makes {output:q} --runs "


def seal(job, stale=lambda wildcards: False):
    """The seal of the job of this name, examined where the run is planned and not again where it is at work.

    `stale` says whether what the job has made does not hold any more for another reason than a file of its own.
    """

    def path(wildcards):
        name = job.format(**dict(wildcards.items()))
        if not workflow.is_main_process:
            return str(records.seal_of(name))
        found = str(records.examined(name, stale(wildcards)))
        workflow.iocache.exists_local[found] = True  # the engine may have looked into its folder before it was there
        return found

    return path


def scale_of(root):
    return "quick" if root == QUICK else "paper"


def products(root, experiment):
    """What is made for one experiment."""
    return [
        f"{root}/tables/{experiment}.csv",
        f"{root}/figures/{experiment}.pdf",
        f"{root}/figures/{experiment}.png",
        f"{root}/claims/{experiment}.csv",
    ]


def sure(root):
    """What is made of the selected experiments whatever data sets are there, and what is found out of these."""
    independent = [e for e in SELECTED if not datasets_of(root, e)]
    audit = [f"{root}/audit.csv", f"{root}/liars.csv"]
    return [*audit, *(file for e in independent for file in products(root, e)), *fetched_for(root)]


def finished(root):
    """What is made of all selected experiments that can be made."""
    gathered = [f"{root}/{name}" for name in (*collect.GATHERED, collect.REPORT, collect.MANIFEST, collect.CRATE)]
    return gathered + [file for experiment in made(root) for file in products(root, experiment)]


def for_made(pattern):
    """One file for each selected experiment that can be made."""
    return lambda wildcards: [pattern.format(root=wildcards.root, experiment=e) for e in made(wildcards.root)]


# -- data sets: an experiment whose data are nowhere is not made ------------------------------------------------------

FETCHED = "data/raw/{dataset}.fetched.json"  # whether it is there, and what is said if not
NOT_MADE = settled.not_made  # what was said so far, by experiment


@cache
def datasets_of(root, experiment):
    """The data sets that an experiment is made from."""
    if not {"dataset", "datasets"} & set(EXPERIMENTS[experiment].parameters):
        return []
    return paths.datasets(resolved(root, experiment))


def fetched_for(root):
    """What was found out of the data sets of all selected experiments."""
    return sorted({FETCHED.format(dataset=d) for experiment in SELECTED for d in datasets_of(root, experiment)})


def lacks(root, experiment):
    """What is said of the data sets that an experiment is made from and that are nowhere, one sentence each."""
    sought = [dataset for dataset in datasets_of(root, experiment) if not known_to_be_there(dataset)]
    told = [strict_json.read(Path(checkpoints.fetch.get(dataset=dataset).output[0])) for dataset in sought]
    sentences = [fetched["sentence"] for fetched in told if not fetched["found"]]
    NOT_MADE[experiment] = sentences
    return sentences


def made(root):
    """The selected experiments that can be made; if none can, nothing is."""
    found = [experiment for experiment in SELECTED if not lacks(root, experiment)]
    return found or [file for experiment in SELECTED for file in whole(root, experiment)]


def whole(root, experiment):
    """What is made for one experiment that is asked for by its name, or an error."""
    sentences = lacks(root, experiment)
    if sentences:
        raise InputError("what is asked for needs a data set that is nowhere.")
    return products(root, experiment)


@atexit.register  # for a run with nothing to do ends without a word of its own
def say_not_made():
    """One sentence an experiment that was asked for with others and is not made, and a data set of it."""
    if workflow.is_main_process:
        for experiment, sentences in NOT_MADE.items():
            for sentence in sentences:
                print(f"{experiment} is not made: {sentence}", file=sys.stderr)


# -- one experiment ---------------------------------------------------------------------------------------------------


def audit_of(config, root):
    return settings.audit_of(config, scale_of(root))


def settings_of(wildcards):
    """The experiment's parameters as the command line takes them, one option each."""
    return [f"--set={option}" for option in options_of(resolved(wildcards.root, wildcards.experiment))]


def settings_for(root, experiment, names):
    """Some of an experiment's parameters as options."""
    parameters = resolved(root, experiment)
    return [f"--set={option}" for option in options_of({name: parameters[name] for name in names})]


def library(stage):
    """The modules that a stage of an experiment rests on: inputs that are compared by content."""

    def files(wildcards):
        experiment = EXPERIMENTS[wildcards.experiment]
        return relative(dependencies.stage_files(experiment.code, stage, experiment.needs))

    return files


def relative(paths):
    """Paths as the rules write them, from the project's folder."""
    return [os.path.relpath(path, workflow.basedir) for path in paths]


def published_of(wildcards):
    """The published numbers that an experiment is compared with."""
    return [f"data/published/{name}" for name in EXPERIMENTS[wildcards.experiment].published]


@cache  # it is asked for by many a rule of every job
def resolved(root, experiment):
    """The experiment's parameters at the scale of a result tree."""
    return settings.resolve(EXPERIMENTS[experiment], config["experiments"].get(experiment, {}), scale=scale_of(root))


def needed_of(wildcards):
    """The files of what an experiment needs, by the option that gives them to `dpsampling table`."""
    experiment = EXPERIMENTS[wildcards.experiment]
    if not experiment.needs:
        return {}
    return NEEDED[experiment.needs](wildcards, grids.expanded(resolved(wildcards.root, wildcards.experiment)))


def counts_needed(wildcards, parameters):
    """The counted event logs."""
    return {"counts": [f"{folder}/counts.npz" for folder in log_folders(wildcards, parameters)]}


def scores_needed(wildcards, parameters):
    """The held-out scores by log and ε, without privacy first, and the counts that they were made from."""
    levels = ("inf", *(repr(float(epsilon)) for epsilon in parameters["epsilons"]))
    folders = log_folders(wildcards, parameters)
    scores = [f"{folder}/{wildcards.experiment}/scores/{level}.csv" for folder in folders for level in levels]
    return {**counts_needed(wildcards, parameters), "scores": scores}


def dataset_needed(wildcards, parameters):
    """The data set's rows."""
    return {"dataset": relative(paths.dataset_files(parameters["dataset"]))}


def designs_needed(wildcards, parameters):
    """The design of each data set."""
    return {"design": [design_of(wildcards.root, name) for name in paths.datasets(parameters)]}


def sweeps_needed(wildcards, parameters):
    """The scores of private classifiers on each data set."""
    return {"sweep": [sweep_of(wildcards.root, wildcards.experiment, name) for name in paths.datasets(parameters)]}


NEEDED = {
    "counts": counts_needed,
    "scores": scores_needed,
    "dataset": dataset_needed,
    "designs": designs_needed,
    "sweeps": sweeps_needed,
}


def log_folders(wildcards, parameters):
    """Where an experiment's event logs are counted."""
    rows = f"{parameters['rows']:g}"
    return [f"{place_of(wildcards.root, log_of(log))}/warlogs/{log}-{rows}" for log in paths.logs(parameters)]


def told_of(wildcards):
    """What describes what an experiment is about: the files of its data set, and of its event logs."""
    parameters = resolved(wildcards.root, wildcards.experiment)
    if EXPERIMENTS[wildcards.experiment].needs == "dataset":
        return relative([descriptions.path_of(parameters["dataset"])])
    logs = paths.logs(parameters) if {"log", "logs"} & set(parameters) else []
    return relative(sorted({file for log in logs if log in LOGS for file in schema.files(log)}))


def keep_private():
    """The engine's own files beside private ones, and what it notes of them, are their owner's alone too."""
    if os.path.isdir(PRIVATE):
        for folder, _, names in os.walk(PRIVATE):
            files.keep_mode(folder, 0o700)
            for name in names:
                files.keep_mode(os.path.join(folder, name), 0o600)
        os.makedirs(".snakemake", exist_ok=True)
        files.keep_mode(".snakemake", 0o700)


def private_of(root):
    """The tree beside a tree of results for what is read and counted of somebody's rows, its owner's alone."""
    place = root.replace("results", PRIVATE, 1)
    files.close(place)
    keep_private()
    return place


def log_of(log):
    """A log that the workflow can make: one of config/logs."""
    if log not in LOGS:
        print(f"dpsampling: the workflow makes logs of config/logs; put {log} there and name it without ending.", file=sys.stderr)
        sys.exit(2)
    return log
