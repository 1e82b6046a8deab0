"""A tool whose form offers choices in every way there is.

Classes have no titles for their choices, so this form is written as JSON Schema.
"""

from trio_agent import ToolContext, tool

OPTIONS = ["option1", "option2", "option3"]

FORM: dict[str, object] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": OPTIONS},
        "titledSingle": {
            "type": "string",
            "oneOf": [
                {"const": "value1", "title": "First Option"},
                {"const": "value2", "title": "Second Option"},
                {"const": "value3", "title": "Third Option"},
            ],
        },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
        "titledMulti": {
            "type": "array",
            "items": {
                "anyOf": [
                    {"const": "value1", "title": "First Choice"},
                    {"const": "value2", "title": "Second Choice"},
                    {"const": "value3", "title": "Third Choice"},
                ]
            },
        },
    },
}


@tool(description="Ask the user to choose, in five ways.")
async def test_elicitation_sep1330_enums(context: ToolContext) -> str:
    answer = await context.elicit("Please choose.", FORM)
    return f"Elicitation completed: action={answer.action}, content={answer.content}"
