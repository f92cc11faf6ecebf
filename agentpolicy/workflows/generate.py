"""Writes what is made from the typed models: `python -m agentpolicy.workflows.generate`.

That is the JSON Schemas that the package ships, and the pages of the rule catalogue.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from agentpolicy.documents.schema import MODELS, schema_for
from agentpolicy.provenance.verdict_schema import verdict_schema
from agentpolicy.report.published.policy_answers import POLICY_ANSWERS
from agentpolicy.report.published.run_answers import RUN_ANSWERS
from agentpolicy.report.published.shapes import Shape
from agentpolicy.report.rules_catalogue import catalogue
from agentpolicy.report.rules_pages import rule_pages
from agentpolicy.runs.schema import run_schema

PACKAGE = Path(__file__).resolve().parent.parent
SCHEMAS = PACKAGE / "schemas"
RULES = PACKAGE.parent / "docs" / "rules"


def schema_files() -> dict[str, str]:
    """Give the name and text of every schema as it should be shipped."""
    schemas: dict[str, Shape] = {str(kind): schema_for(kind) for kind in MODELS}
    schemas |= {
        "run": run_schema(),
        "verdict": verdict_schema(),
        **{f"output/{name}": shape for name, shape in (POLICY_ANSWERS | RUN_ANSWERS).items()},
    }
    return {
        f"{name}.schema.json": json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas.items()
    }


def rule_files() -> dict[str, str]:
    """Give the name and text of every page about rules, as it should stand in `docs/rules`."""
    return rule_pages(catalogue({kind: schema_for(kind) for kind in MODELS}))


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write files into a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_files(SCHEMAS, schema_files())
    write_files(RULES, rule_files())
