"""`python -m trio_agent`, and the command `trio-agent`."""

import sys

from trio_agent.surfaces.cli.shell import main as main

if __name__ == "__main__":
    sys.exit(main())
