"""A prompt of several messages: of a list of nodes, each leaf is a message of the user."""

from typing import Annotated

import attrs

from trio_agent import Agent, Description, Node, prompt


@attrs.frozen
class Embedding:
    resource_uri: Annotated[str, Description("URI of the resource to embed")] = attrs.field(
        alias="resourceUri"
    )


@prompt(description="A prompt about a resource.")
async def test_prompt_with_embedded_resource(embedding: Embedding) -> Node:
    return [
        Agent.Resource(
            embedding.resource_uri,
            "embedded",
            mime_type="text/plain",
            text="Embedded resource content for testing.",
        ),
        Agent.Text("Please process the embedded resource above."),
    ]
