# What the other rule files share: the two result trees, and where things are in them.

STARTED = time.time()
EXPERIMENTS = experiments()
SELECTED = settings.selected(config)
LOGS = schema.names()
CHAPTERS = (4, 5, 6, 7)
QUICK = "results/quick"
RESULTS = QUICK if config["scale"] == "quick" else "results"


wildcard_constraints:
    root="results(/quick)?",
    experiment="|".join(EXPERIMENTS),
    log="|".join(LOGS),
    rows="[0-9.]+",


report: "../report/workflow.rst"


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
    gathered = ("claims.csv", "errata.csv", "errata.md", "ledger.csv", "audit.csv", "config.yaml", "manifest.json", "report.html")
    return [f"{root}/{name}" for name in gathered] + [f for e in SELECTED for f in products(root, e)]


def for_selected(pattern):
    """One file for each selected experiment."""
    return lambda wildcards: [pattern.format(root=wildcards.root, experiment=e) for e in SELECTED]


def settings_of(wildcards):
    """The experiment's parameters as the command line takes them, one option each."""
    return [f"--set={option}" for option in settings.settings(parameters_of(wildcards.root, wildcards.experiment))]


def library(stage):
    """The modules that a stage of an experiment really imports: inputs that are compared by content."""
    return lambda wildcards: relative(dependencies.stage_files(wildcards.experiment, stage))


def relative(paths):
    """Paths as the rules write them, from the project's folder."""
    return [os.path.relpath(path, workflow.basedir) for path in paths]


def published_of(wildcards):
    """The published numbers that an experiment is compared with."""
    return [f"data/published/{name}" for name in EXPERIMENTS[wildcards.experiment].published]


def parameters_of(root, experiment):
    """The experiment's parameters at the scale of a result tree."""
    return settings.resolve(EXPERIMENTS[experiment], config["experiments"].get(experiment, {}), scale=scale_of(root))


def counts_of(wildcards):
    """The counted event logs that the experiment's table is made from."""
    if not reads_logs(wildcards.experiment):
        return []
    parameters = parameters_of(wildcards.root, wildcards.experiment)
    return [f"{wildcards.root}/warlogs/{log_of(log)}-{parameters['rows']:g}/counts.npz" for log in supply.named(parameters)]


def scores_of(wildcards):
    """The held-out scores that fig4_6 gathers, by log and ε, without privacy first."""
    if wildcards.experiment != "fig4_6":
        return []
    parameters = grids.expanded(parameters_of(wildcards.root, "fig4_6"))
    return [
        f"{wildcards.root}/warlogs/{log_of(log)}-{parameters['rows']:g}/scores/{float(epsilon)!r}.csv"
        for log in parameters["logs"]
        for epsilon in ("inf", *parameters["epsilons"])
    ]


def log_of(log):
    """A log that the workflow can make: one of config/logs."""
    if log not in LOGS:
        print(f"dpsampling: the workflow makes logs of config/logs; put {log} there and name it without ending.", file=sys.stderr)
        sys.exit(2)
    return log
