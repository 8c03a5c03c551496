"""What version 1.1 of the RO-Crate specification asks of a crate, as a list of faults."""

import re
from pathlib import Path

from dpsampling import files
from reproduction import crate

SHA = re.compile(r"[0-9a-f]{64}")


def faults(told: dict, folder: Path | None = None) -> list[str]:
    """What is wrong with the metadata of a crate, and with the files that it speaks of."""
    found = []
    if "https://w3id.org/ro/crate/1.1/context" not in told["@context"]:
        found.append("the context is another")
    graph = told["@graph"]
    by_name = {entity.get("@id"): entity for entity in graph}
    if len(by_name) < len(graph):
        found.append("an entity has no name, or that of another")
    descriptor = by_name.get("ro-crate-metadata.json", {})
    if (descriptor.get("@type"), descriptor.get("about")) != ("CreativeWork", {"@id": "./"}):
        found.append("no descriptor tells of the root")
    if descriptor.get("conformsTo") != {"@id": "https://w3id.org/ro/crate/1.1"}:
        found.append("the descriptor conforms to nothing")
    root = by_name.get("./", {})
    if root.get("@type") != "Dataset":
        found.append("there is no root")
    found += [
        f"the root lacks {key}" for key in ("name", "description", "license", "datePublished") if not root.get(key)
    ]
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", root.get("datePublished", "")):
        found.append("the root has no date")
    for entity in graph:
        if "@type" not in entity:
            found.append(f"{entity['@id']} is of no type")
        if re.search(r"\s", entity["@id"]):
            found.append(f"{entity['@id']} is no address")
        for key, value in entity.items():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, dict) and (set(one) != {"@id"} or not known(one["@id"], by_name)):
                    found.append(f"{entity['@id']} refers by {key} to what is not described")
    parts = {part["@id"] for part in root.get("hasPart", [])}
    described = {entity["@id"] for entity in graph if entity.get("@type") == "File"}
    if parts != described:
        found.append("the parts of the root are not the files")
    for name in described:
        entity = by_name[name]
        if not (SHA.fullmatch(entity.get("sha256", "")) and entity["contentSize"].isdigit()):
            found.append(f"{name} has no checksum or no size")
        elif folder and (not (folder / name).is_file() or files.checksum(folder / name) != entity["sha256"]):
            found.append(f"{name} is not the file that is there")
    actions = [entity for entity in graph if entity.get("@type") == "CreateAction"]
    if not actions:
        found.append("nothing made it")
    for action in actions:
        made_by = action.get("instrument", [])
        for used in made_by if isinstance(made_by, list) else [made_by]:
            if by_name.get(used["@id"], {}).get("@type") != "SoftwareApplication":
                found.append(f"{action['@id']} has no instrument")
        if not made_by or not action.get("result"):
            found.append(f"{action['@id']} made nothing by nothing")
    return found


def known(name: str, by_name: dict) -> bool:
    """Whether a reference leads somewhere: to an entity of the crate, or to the specification."""
    return name in by_name or name == crate.SPECIFICATION
