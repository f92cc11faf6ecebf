"""Writes the JSON Schemas that the package ships: `python -m agentpolicy.workflows.generate`."""

import json
from pathlib import Path

from agentpolicy.documents.schema import MODELS, schema_for
from agentpolicy.provenance.verdict_schema import verdict_schema
from agentpolicy.runs.schema import run_schema

SCHEMAS = Path(__file__).resolve().parent.parent / "schemas"


def schema_files() -> dict[str, str]:
    """Give the name and text of every schema as it should be shipped."""
    schemas = {str(kind): schema_for(kind) for kind in MODELS}
    schemas |= {"run": run_schema(), "verdict": verdict_schema()}
    return {
        f"{name}.schema.json": json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas.items()
    }


def write_schemas(folder: Path = SCHEMAS) -> None:
    """Write every schema file into a folder."""
    for name, text in schema_files().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_schemas()
