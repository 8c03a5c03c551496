"""`dpsampling artifact …`: the appendix for evaluators."""

HELP = "what an evaluator of the artifact is told"
