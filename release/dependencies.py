#!/usr/bin/env python3
"""Writes the licences of all that is built into the program, and a list of it in the form of CycloneDX.

dependencies.py TARGET LICENCES SBOM: for a platform, a text with every licence and a JSON file. It takes what cargo says
of the dependencies, and the licence files in their packages; a package without one is named with the licence that it
declares.
"""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LICENCE = re.compile(r"(?i)^(licen[cs]e|copying|notice|unlicense|copyright)")


def metadata(target):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def built_in(data):
    """The packages that the program is made of, by id, each with the ids of those that it uses."""
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    (program,) = [package["id"] for package in data["packages"] if package["name"] == "urimill-cli"]
    found, todo = {}, [program]
    while todo:
        package = todo.pop()
        if package in found:
            continue
        uses = [
            dependency["pkg"]
            for dependency in nodes[package]["deps"]
            if any(kind["kind"] is None for kind in dependency["dep_kinds"])
        ]
        found[package] = uses
        todo += uses
    return found


def checksums():
    """The checksum of each package in the lock file, by name and version."""
    text = (ROOT / "Cargo.lock").read_text()
    found = re.findall(r'name = "(.+)"\nversion = "(.+)"\nsource = .*\nchecksum = "(.+)"', text)
    return {(name, version): checksum for name, version, checksum in found}


def licence_files(package):
    folder = Path(package["manifest_path"]).parent
    files = [file for file in sorted(folder.iterdir()) if file.is_file() and LICENCE.match(file.name)]
    if package["license_file"]:
        files.append(folder / package["license_file"])
    # The C libraries that packages bring along have theirs deeper.
    deeper = [file for file in sorted(folder.glob("*/*")) + sorted(folder.glob("*/*/*"))
              if file.is_file() and LICENCE.match(file.name) and file.suffix not in {".rs", ".c", ".h", ".py"}]
    return list(dict.fromkeys(files + deeper))


def main():
    target, licences, sbom = sys.argv[1:]
    data = metadata(target)
    packages = {package["id"]: package for package in data["packages"]}
    found = built_in(data)
    names = sorted(found, key=lambda package: (packages[package]["name"], packages[package]["version"]))
    version = next(packages[package]["version"] for package in names if packages[package]["name"] == "urimill-cli")
    others = [packages[package] for package in names if packages[package]["source"]]

    texts, without = {}, []
    for package in others:
        files = licence_files(package)
        if not files:
            without.append(package)
        for file in files:
            text = file.read_text(errors="replace").strip()
            key = hashlib.sha256(" ".join(text.split()).encode()).digest()
            texts.setdefault(key, (text, []))[1].append(f"{package['name']} {package['version']}")
    lines = ["What is built into urimill, and its licences", ""]
    lines += [f"{package['name']} {package['version']}: {package['license'] or 'see below'}" for package in others]
    lines += ["", "The list of user agents, uap-core: Apache-2.0"]
    if without:
        lines += ["", "These packages bring no licence text along; they declare the licence named above:"]
        lines += [", ".join(package["name"] for package in without)]
    for text, users in texts.values():
        lines += ["", "=" * 100, ", ".join(dict.fromkeys(users)), "-" * 100, text]
    Path(licences).write_text("\n".join(lines) + "\n")

    sums = checksums()
    url = lambda package: f"pkg:cargo/{package['name']}@{package['version']}"  # noqa: E731
    components = []
    for package in (packages[package] for package in names if packages[package]["name"] != "urimill-cli"):
        component = {"type": "library", "bom-ref": url(package), "name": package["name"], "version": package["version"],
                     "purl": url(package)}
        if package["license"]:
            component["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        checksum = sums.get((package["name"], package["version"]))
        if checksum:
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        components.append(component)
    program = {"type": "application", "bom-ref": f"pkg:cargo/urimill-cli@{version}", "name": "urimill",
               "version": version, "licenses": [{"expression": "Apache-2.0 OR MIT"}]}
    graph = [{"ref": url(packages[package]), "dependsOn": sorted({url(packages[used]) for used in found[package]})}
             for package in names]
    bom = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
           "metadata": {"component": program, "properties": [{"name": "target", "value": target}]},
           "components": components, "dependencies": graph}
    Path(sbom).write_text(json.dumps(bom, indent=1) + "\n")
    print(f"{len(others)} packages of others, {len(texts)} texts of licences, {len(without)} packages without one")


main()
