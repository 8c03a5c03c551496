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


def seal(job):
    """The seal of the job of this name, examined where the run is planned and not again where it is at work."""

    def path(wildcards):
        name = job.format(**dict(wildcards.items()))
        return str(records.examined(name) if workflow.is_main_process else records.seal_of(name))

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


def finished(root):
    """What is made of all selected experiments."""
    gathered = [f"{root}/{name}" for name in (*collect.GATHERED, collect.REPORT, collect.MANIFEST)]
    return gathered + [file for experiment in SELECTED for file in products(root, experiment)]


def for_selected(pattern):
    """One file for each selected experiment."""
    return lambda wildcards: [pattern.format(root=wildcards.root, experiment=e) for e in SELECTED]


def audit_of(config, root):
    return settings.audit_of(config, scale_of(root))


def settings_of(wildcards):
    """The experiment's parameters as the command line takes them, one option each."""
    return [f"--set={option}" for option in options_of(resolved(wildcards.root, wildcards.experiment))]


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
    return {"dataset": [os.path.relpath(paths.dataset_file(parameters["dataset"]), workflow.basedir)]}


NEEDED = {"counts": counts_needed, "scores": scores_needed, "dataset": dataset_needed}


def log_folders(wildcards, parameters):
    """Where an experiment's event logs are counted."""
    rows = f"{parameters['rows']:g}"
    return [f"{place_of(wildcards.root, log_of(log))}/warlogs/{log}-{rows}" for log in paths.logs(parameters)]


def told_of(wildcards):
    """What describes what an experiment is about: the files of its data set, and of its event logs."""
    parameters = resolved(wildcards.root, wildcards.experiment)
    if EXPERIMENTS[wildcards.experiment].needs == "dataset":
        return relative([paths.dataset_description(parameters["dataset"])])
    logs = paths.logs(parameters) if {"log", "logs"} & set(parameters) else []
    return relative(sorted({file for log in logs if log in LOGS for file in schema.files(log)}))


def keep_private():
    """The engine's own files beside private ones, and what it notes of them, are their owner's alone too."""
    if os.path.isdir(PRIVATE):
        for folder, _, names in os.walk(PRIVATE):
            os.chmod(folder, 0o700)
            for name in names:
                os.chmod(os.path.join(folder, name), 0o600)
        os.makedirs(".snakemake", exist_ok=True)
        os.chmod(".snakemake", 0o700)


def log_of(log):
    """A log that the workflow can make: one of config/logs."""
    if log not in LOGS:
        print(f"dpsampling: the workflow makes logs of config/logs; put {log} there and name it without ending.", file=sys.stderr)
        sys.exit(2)
    return log
