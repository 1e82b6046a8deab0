"""Does not stop at once when it is cancelled; and says things to its host."""

import trio

from trio_agent import ToolContext, tool


@tool(description="Turn the stone.", task_support="optional")
async def stone(context: ToolContext) -> str:
    context.log("info", "turning")
    try:
        await trio.sleep_forever()
    finally:
        with trio.move_on_after(5, shield=True):
            await trio.sleep(3)
