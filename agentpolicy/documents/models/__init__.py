"""The typed documents. Each leaf carries its order row next to its type.

The JSON Schemas in `agentpolicy/schemas` are generated from these models, and everything that
must start quickly reads the schemas; only the gate and the generators import pydantic.
"""
