"""What a dag becomes when one of its variables is not measured."""

from __future__ import annotations

from tacit.core.dag import AnyDag, Dag, as_dag


def remove_variable(dag: AnyDag, name: str, *, co_parents: bool = True) -> Dag:
    """The dag of what the other variables say to each other once `name` is not looked at.

    The arcs from the variable to its children C₁, ..., C_k are turned one by one, in topological
    order, until it has no child and can be left out:

        Pa'(C_j) = (Pa(C_j) minus H) ∪ Pa(H) ∪ {C_i : i < j} ∪ (Pa(C_i) minus H : i < j)

    A minimal I-map of the separations that do not involve the variable: no arc can go, for each
    joins two variables that a path through H, or the arc itself, keeps dependent.

    co_parents  False leaves the last union out, as the graph of Prop. 4.1.1 does. That is no I-map
                where a child has other parents than H: given C₁, P -> C₁ <- H -> C₂ is open, so P
                and C₂ are dependent, whichever way the two children are joined.
    [Prop. 4.1.1 as corrected by erratum E28; HV1-25, T9, T10]
    """
    dag = as_dag(dag)
    dag.check_name(name)
    parents = {each: who for each, who in dag.parents.items() if each != name}
    before = dict.fromkeys(dag.parents[name])
    children = set(dag.children[name])
    for child in (each for each in dag.order if each in children):
        own = [parent for parent in dag.parents[child] if parent != name]
        parents[child] = tuple(dict.fromkeys([*own, *before]))
        before.update(dict.fromkeys([child, *own] if co_parents else [child]))
    return Dag(parents)
