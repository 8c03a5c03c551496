r"""The truncated geometric mechanism on finite computers (Balcer and Vadhan 2018, Algorithm 4.8).

For a count c in {0, …, n} the output is at most z with probability F_c(z)/d. With K = 2^k, d = (2K + 1)(K + 1)^{n−1},

    F_c(z) = K^{c−z} (K + 1)^{n−c+z}  for z < c,      d − K^{z−c+1} (K + 1)^{n−1−z+c}  for c ≤ z < n,      F_c(n) = d.

All of these are whole numbers, and so the ratios of neighbours' probabilities are exact fractions. The paper has
k = ⌈log₂(2/ε)⌉, with which 1 + 2^{−k} ≤ e^ε; DP-Sniper's mechanism has k = ⌈ln(2/ε)⌉, and claims ln(1 + 2^{−k}) alone.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from dpsampling.audit.known_mechanisms.price import Price


def truncated_geometric(people: int, doublings: int) -> Price:
    """The price over all neighbouring counts and all outputs."""
    best, witness = Fraction(1), ""
    laws = [law(count, people, doublings) for count in range(people + 1)]
    for count, pair in enumerate(pairwise(laws)):
        for output, (p, q) in enumerate(zip(*pair, strict=True)):
            ratio = max(Fraction(p, q), Fraction(q, p))
            if ratio > best:
                best, witness = ratio, f"output {output} on counts {count} and {count + 1}: ratio {ratio}"
    price = math.log(best)
    # DP-Sniper looked at counts 0, 1 and 2.
    looked_at = [max(Fraction(p, q), Fraction(q, p)) for pair in pairwise(laws[:3]) for p, q in zip(*pair, strict=True)]
    return Price(price, price, witness, math.log(max(looked_at)))


def law(count: int, people: int, doublings: int) -> list[int]:
    """d Pr(output = z), z from 0 to n."""
    k, total = 2**doublings, (2 ** (doublings + 1) + 1) * (2**doublings + 1) ** (people - 1)
    at_most = [0]
    for z in range(people):
        if z < count:
            at_most.append(k ** (count - z) * (k + 1) ** (people - count + z))
        else:
            at_most.append(total - k ** (z - count + 1) * (k + 1) ** (people - 1 - z + count))
    at_most.append(total)
    return [high - low for low, high in pairwise(at_most)]


def doublings_by_natural_logarithm(epsilon: float) -> int:
    """⌈ln(2/ε)⌉, as DP-Sniper has it."""
    return max(0, math.ceil(math.log(2.0 / epsilon)))


def doublings(epsilon: float) -> int:
    """⌈log₂(2/ε)⌉, as the paper has it."""
    return max(0, math.ceil(math.log2(2.0 / epsilon)))
