"""Private learners with scikit-learn's interface: `fit`, `predict`, `predict_proba` where there is one, `guarantee_`.

    from dpsampling.sklearn import PrivateNaiveBayes
    PrivateNaiveBayes(epsilon=1.0, bounds=(0, 10), classes=[0, 1]).fit(X, y).guarantee_

Nothing public is read off the rows: bounds, norms, classes and sizes have no default, and `fit` says which is missing.
With random_state=None the noise is exact and by the operating system's bits, and the model may be released; with a
number it is in floats of a generator, and the guarantee says that it holds only while nobody knows that number.
"""

try:
    import sklearn as _installed  # noqa: F401
except ImportError as error:
    raise ImportError("scikit-learn is not installed; pip install 'dpsampling[sklearn]'.") from error

from dpsampling.sklearn.clustering import PrivateKMeans
from dpsampling.sklearn.linear import (
    PrivateGradientDescentClassifier,
    PrivateLinearRegression,
    PrivateLinearSVC,
    PrivateLogisticRegression,
)
from dpsampling.sklearn.tables import PrivateBoostedBins, PrivateNaiveBayes, PrivateRandomTrees

__all__ = [
    "PrivateBoostedBins",
    "PrivateGradientDescentClassifier",
    "PrivateKMeans",
    "PrivateLinearRegression",
    "PrivateLinearSVC",
    "PrivateLogisticRegression",
    "PrivateNaiveBayes",
    "PrivateRandomTrees",
]
