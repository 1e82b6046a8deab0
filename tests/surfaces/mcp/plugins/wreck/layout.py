"""A layout whose metadata shows whether there was a document."""

from trio_agent import Agent, Node, RouteInfo, layout


@layout()
def shell(children: Node, route: RouteInfo) -> Node:
    return Agent.Result(children, metadata={"shell": route.kind})
