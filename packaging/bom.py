"""Write the bill of materials that goes into the wheel: `cyclonedx-py … | python bom.py > FILE`.

What the tool tells of lines and addresses of the machine that it ran on is left out, so that
the same pins give the same file everywhere.
"""

import json
import sys
from typing import Any


def plain(bom: dict[str, Any]) -> dict[str, Any]:
    """Give a bill of materials with what each pin is, and nothing of where it was looked up."""
    parts = [
        {key: one[key] for key in ("name", "purl", "type", "version")} | {"bom-ref": one["purl"]}
        for one in bom["components"]
    ]
    parts.sort(key=lambda one: one["purl"])
    root = bom["metadata"]["component"]
    return {
        "$schema": bom["$schema"],
        "bomFormat": bom["bomFormat"],
        "specVersion": bom["specVersion"],
        "version": 1,
        "metadata": {"component": root},
        "components": parts,
        "dependencies": [
            {"ref": root["bom-ref"], "dependsOn": [one["bom-ref"] for one in parts]},
            *({"ref": one["bom-ref"]} for one in parts),
        ],
    }


if __name__ == "__main__":
    json.dump(plain(json.load(sys.stdin)), sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")
