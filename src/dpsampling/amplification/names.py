"""What the conditions and forms of chapter 6 are called, in tables, figures and claims alike."""

# Conditions on a kernel (section 6.3).
DOBRUSHIN, LEVEL_DOBRUSHIN, DOEBLIN, ULTRA_MIXING = "Dobrushin", "(γ, ε)-Dobrushin", "Doeblin", "ultra-mixing"
CONDITIONS = (DOBRUSHIN, LEVEL_DOBRUSHIN, DOEBLIN, ULTRA_MIXING)

# Forms of a bound (section 6.4): for convex losses as the thesis quotes it, as printed, before the last step of its
# proof, and at its best.
CONVEX, PRINTED, UNRELAXED, OPTIMAL = "convex", "printed", "unrelaxed", "optimal"
