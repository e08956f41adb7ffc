"""Climbing over dags spelled out: every neighbour made, judged and scored as a whole."""

from __future__ import annotations


def acyclic(dag):
    """Whether variables can be taken away one by one, each with no parents left."""
    left = {child: set(parents) for child, parents in enumerate(dag)}
    while left:
        free = [child for child, parents in left.items() if not parents & left.keys()]
        if not free:
            return False
        del left[free[0]]
    return True


def obeys(dag, limits):
    """Whether the dag has what is required, nothing that is not allowed, and not too many."""
    return acyclic(dag) and all(
        len(parents) <= limits.most[head]
        and all(limits.allowed[tail, head] for tail in parents)
        and all(
            tail in parents
            for tail in range(len(dag))
            if tail != head and limits.required[tail, head]
        )
        for head, parents in enumerate(dag)
    )


def neighbours(dag, limits, replacing=False):
    """All dags one change away that the limits allow: {dag: (verb, tail, head)}."""
    n, found = len(dag), {}

    def changed(what, *sets):
        made = list(dag)
        for head, parents in sets:
            made[head] = tuple(sorted(parents))
        if obeys(made, limits):
            found.setdefault(tuple(made), what)

    for head in range(n):
        here = set(dag[head])
        for tail in range(n):
            if tail == head:
                continue
            if tail not in here:
                changed(("add", tail, head), (head, here | {tail}))
                for out in here if replacing else ():
                    changed(("replace", tail, head), (head, here - {out} | {tail}))
            else:
                changed(("delete", tail, head), (head, here - {tail}))
                there = set(dag[tail]) | {head}
                changed(("reverse", tail, head), (head, here - {tail}), (tail, there))
    return found


def greedy(score, dag, limits, replacing=False):
    """The dags that hill climbing visits."""
    path = [dag]
    while True:
        found = neighbours(path[-1], limits, replacing)
        best = max(found, key=score, default=None)
        if best is None or score(best) <= score(path[-1]) + 1e-9 * max(1, abs(score(path[-1]))):
            return path
        path.append(best)


def tabu(score, dag, limits, length, patience):
    """The dags that tabu search visits in its first climb. [HV1 1.6, Algorithm 2, erratum E14]"""
    path, visited, since, highest = [dag], [dag], 0, score(dag)
    while since < patience:
        found = [each for each in neighbours(path[-1], limits) if each not in visited]
        if not found:
            break
        path.append(max(found, key=score))
        visited = [*visited, path[-1]][-length:]
        better = score(path[-1]) > highest
        since, highest = 0 if better else since + 1, max(highest, score(path[-1]))
    return path
