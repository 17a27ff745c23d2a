"""The limit of an instance once more: quadratic programs over every other answer."""

import itertools

import numpy as np
from scipy.optimize import nnls

from maxgap.problems import Problem


def lead(means, of):
    """By how much the gap at the true split exceeds any other in `means`; negative if swapped."""
    problem = Problem(of)
    top, bottom = sorted(problem.top), sorted(problem.bottom)
    gap = means[top].min() - means[bottom].max()
    inside = [0.0, *np.diff(np.sort(means[top])), *np.diff(np.sort(means[bottom]))]
    return min(gap, gap - max(inside))


def projected(means, v, conditions):
    """Least sum of v (means - x)^2 with conditions @ x >= 0, by Lawson and Hanson's reduction."""
    scaled = conditions / np.sqrt(v)
    missing = -conditions @ means
    if missing.max() <= 0:
        return 0.0
    last = np.zeros(len(means) + 1)
    last[-1] = 1
    matrix = np.vstack([scaled.T, missing])
    residual = matrix @ nnls(matrix, last, maxiter=1000)[0] - last
    return float(np.sum((residual[:-1] / residual[-1]) ** 2))


def by_quadratic_programs(means, v):
    """Least cost over every order of the arms and every place of the largest gap in it."""
    n_arms, bottom = len(means), Problem(means).bottom
    least = np.inf
    for order in itertools.permutations(range(n_arms)):
        gaps = np.diff(np.eye(n_arms)[list(order)], axis=0)
        for place in range(n_arms - 1):
            if frozenset(order[: place + 1]) != bottom:
                largest = np.delete(gaps[place] - gaps, place, axis=0)
                least = min(least, projected(means, v, np.vstack([gaps, largest])))
    return least
