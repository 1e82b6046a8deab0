"""What all routes of the server have in common: where the rules are that their answers go by."""

from trio_agent import Agent, Node, RouteInfo, layout


@layout()
def frame(children: Node, route: RouteInfo) -> Node:
    """Say in `_meta` which route has answered; so it is also when parts of the answer failed."""
    return Agent.Result(
        children, metadata={"curator/route": route.id, "curator/rules": "curator://rules"}
    )
