"""Validates rendered manifests: `check.py MANIFESTS.yaml...`. Like the API server, it rejects unknown fields."""

import sys
from pathlib import Path

import jsonschema
import kubernetes_validate
import yaml

STRINGS = {"type": "object", "additionalProperties": {"type": "string"}}
METADATA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"name": {"type": "string"}, "namespace": {"type": "string"}, "labels": STRINGS, "annotations": STRINGS},
}


def strict(schema):
    """Converts a CRD's structural schema to a JSON schema that rejects unknown fields."""
    schema = dict(schema)
    if "properties" in schema:
        schema["properties"] = {name: strict(value) for name, value in schema["properties"].items()}
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            schema.setdefault("additionalProperties", False)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            schema[key] = strict(schema[key])
    if schema.get("x-kubernetes-int-or-string"):
        schema["type"] = ["integer", "string"]
    elif schema.get("nullable") and "type" in schema:
        schema["type"] = [schema["type"], "null"]
    return schema


def custom_kinds():
    """The validators of the CRDs beside this file, by API version and kind."""
    validators = {}
    for path in Path(__file__).parent.glob("*.yaml"):
        spec = yaml.safe_load(path.read_text())["spec"]
        for version in spec["versions"]:
            schema = strict(version["schema"]["openAPIV3Schema"])
            schema["properties"] |= {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": METADATA}
            key = (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
            validators[key] = jsonschema.Draft7Validator(schema)
    return validators


def problems(manifest, custom):
    validator = custom.get((manifest["apiVersion"], manifest["kind"]))
    if validator:
        return list(validator.iter_errors(manifest))
    try:
        kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)
    except kubernetes_validate.SchemaNotFoundError:
        return [jsonschema.ValidationError(f"no schema for {manifest['apiVersion']}")]
    except kubernetes_validate.ValidationError as error:
        return [error]
    return []


def main(files):
    custom = custom_kinds()
    failed = False
    for file in files:
        for manifest in filter(None, yaml.safe_load_all(Path(file).read_text())):
            for error in problems(manifest, custom):
                failed = True
                place = ".".join(map(str, error.path))
                print(f"{file}: {manifest['kind']} {manifest['metadata']['name']}: {place}: {error.message[:300]}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
