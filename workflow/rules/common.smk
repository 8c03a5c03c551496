# What the other rule files share: the two result trees, and where things are in them.

STARTED = time.time()
EXPERIMENTS = experiments()
SELECTED = settings.selected(config)
CHAPTERS = (4, 5, 6, 7)
QUICK = "results/quick"
RESULTS = QUICK if config["scale"] == "quick" else "results"


wildcard_constraints:
    root="results(/quick)?",
    experiment="|".join(EXPERIMENTS),


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
    changes = config["experiments"].get(wildcards.experiment, {})
    parameters = settings.resolve(EXPERIMENTS[wildcards.experiment], changes, scale=scale_of(wildcards.root))
    return [f"--set={option}" for option in settings.settings(parameters)]


def library(stage):
    """The modules that a stage of an experiment really imports: inputs that are compared by content."""
    return lambda wildcards: relative(dependencies.stage_files(wildcards.experiment, stage))


def relative(paths):
    """Paths as the rules write them, from the project's folder."""
    return [os.path.relpath(path, workflow.basedir) for path in paths]


def published_of(wildcards):
    """The published numbers that an experiment is compared with."""
    return [f"data/published/{name}" for name in EXPERIMENTS[wildcards.experiment].published]
