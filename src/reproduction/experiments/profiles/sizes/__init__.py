"""How the linear programs of the smooth mechanisms grow (thesis section 7.5.2)."""

COLUMNS = {
    "setting": str,
    "profiles": int,
    "categories": int,
    "edges": int,
    "variables": int,
    "constraints": int,
    "nonzeros": int,
    "largest": float,
    "corruption": float,
    "response": float,
}
CHAIN, RANDOM = "chain, one bit", "random graph, categorical"
