"""Private releases of somebody's own data: prepared, charged, drawn, explained, answered at a public time, verified.

    rows ──prepare──▶ Prepared ──charge──▶ ledger ──draw──▶ Release ──kind──▶ results, card, tables, pictures

    desk        the order of these steps, the same for every kind
    contents    a release as a value, and release.json
    kinds       what a kind of release must know of itself; `proportion`, `table` and `hmm` are such modules
    card        what a release says in plain words, made of its numbers; `wording` says numbers and names
    pages       all files of its folder, each made of it
    folder      the folder that appears whole, holds nothing but what may be published, and tells no time
    clock       answers at a public time
    verifying   whether a folder is what its numbers say

All that a release holds is a function of the numbers that were drawn, of what is public, and of `chance`: random bits
of their own, for whatever post-processing has to draw. So anybody can compute it again, and `verifying` does.
"""
