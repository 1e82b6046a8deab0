"""A server that is not ours, and not well behaved: one line in, some lines out.

python foreign_server.py [modern] [noise] [deaf] [stay] [child]
"""

import json
import os
import signal
import subprocess
import sys
import time

WAYS = frozenset(sys.argv[1:])
ITEMS = [{"name": f"tool_{number}", "inputSchema": {"type": "object"}} for number in range(5)]


def send(**message: object) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def answer(id_: object, method: str, params: dict[str, object]) -> None:
    if method == "initialize" and "modern" in WAYS:
        error = {"code": -32022, "message": "too old", "data": {"supported": ["2026-07-28"]}}
        send(id=id_, error=error)
    elif method in {"initialize", "server/discover"}:
        info = {"name": "foreign", "version": "9"}
        capabilities: dict[str, object] = {"tools": {}, "resources": {}}
        result: dict[str, object] = {"capabilities": capabilities}
        if method == "initialize":
            result |= {"protocolVersion": "2025-06-18", "serverInfo": info}
        else:
            result["supportedVersions"] = ["2026-07-28"]
            result["_meta"] = {"io.modelcontextprotocol/serverInfo": info}
        send(id=id_, result=result)
    elif method == "tools/list":
        start = int(str(params.get("cursor", 0)))
        page: dict[str, object] = {"tools": ITEMS[start : start + 2]}
        if start + 2 < len(ITEMS):
            page["nextCursor"] = str(start + 2)
        send(id="mine", method="ping")
        send(id="other", method="roots/list")
        send(id=id_, result=page)
    elif method == "tools/call":
        call(id_, params)
    else:
        send(id=id_, error={"code": -32601, "message": "Method not found"})


def call(id_: object, params: dict[str, object]) -> None:
    meta = params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    if token is not None:
        for done in (1, 2):
            report = {"progressToken": token, "progress": done, "total": 2, "message": "half"}
            send(method="notifications/progress", params=report)
    text = json.dumps([params["name"], params["arguments"], token is not None])
    send(id=id_, result={"content": [{"type": "text", "text": text}]})


def main() -> None:
    if "child" in WAYS:
        sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print(f"sleeper {sleeper.pid}", file=sys.stderr, flush=True)
    if "stay" in WAYS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "noise" in WAYS:
        print("Listening...", flush=True)
        print("[1, 2]", flush=True)
    print(f"pid {os.getpid()}", file=sys.stderr, flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        if "deaf" not in WAYS and "method" in message and "id" in message:
            answer(message["id"], message["method"], message.get("params", {}))
    if "stay" in WAYS:
        time.sleep(600)  # a process that does not end


if __name__ == "__main__":
    main()
