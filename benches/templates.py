#!/usr/bin/env python3
"""How well templates find the routes of sites, and how fast: urimill beside Drain3 and uro.

Purity is the share of URIs whose route is the most frequent one of their template; completeness is the share of URIs
that have the most frequent template of their route. Templates of urimill are learnt as `urimill top --by template`
learns them; the example `routes` prints them. Drain3 has each URI with spaces for its delimiters, its masks for
numbers and hexadecimal numbers, and three thresholds of similarity (0.4 is its default); of uro a group is what it holds to be one pattern: its path with numbers masked and
the names of parameters.

    pip install drain3==0.9.11 uro==1.0.2
    cargo build --release -p urimill --example routes
    benches/templates.py target/release/examples/routes
"""

import collections
import functools
import re
import subprocess
import sys
import time
import urllib.parse

from templates_labelled import labelled


def quality(labels, groups):
    """Purity and completeness."""
    def share(of, by):
        counts = collections.defaultdict(collections.Counter)
        for one, other in zip(of, by):
            counts[one][other] += 1
        return sum(max(counter.values()) for counter in counts.values()) / len(of)
    return share(groups, labels), share(labels, groups)


def urimill(program, uris):
    result = subprocess.run([program], input="\n".join(uris) + "\n", text=True, capture_output=True, check=True)
    return [line.split("\t")[-1] for line in result.stdout.splitlines()]


def drain3(uris, threshold):
    from drain3 import TemplateMiner
    from drain3.template_miner_config import TemplateMinerConfig
    from drain3.masking import RegexMaskingInstruction
    config = TemplateMinerConfig()
    config.profiling_enabled = False
    config.drain_sim_th = threshold
    config.masking_instructions = [
        RegexMaskingInstruction(r"(?<= )[0-9a-f]{16,}(?= |$)", "<HEX>"),
        RegexMaskingInstruction(r"(?<= )\d+(?= |$)", "<NUM>"),
    ]
    miner = TemplateMiner(config=config)
    spaced = [re.sub(r"[/?&=]+", " ", uri) for uri in uris]
    for text in spaced:
        miner.add_log_message(text)
    matched = [miner.match(text) for text in spaced]
    return [str(cluster.cluster_id) if cluster else text for cluster, text in zip(matched, uris)]


def uro(uris):
    arguments, sys.argv = sys.argv, sys.argv[:1]  # It reads them when it is imported.
    from uro.uro import create_pattern, re_int
    sys.argv = arguments

    def group(uri):
        parts = urllib.parse.urlsplit(uri)
        path = create_pattern(parts.path).pattern if re_int.search(parts.path) else parts.path
        names = sorted({name for name, _ in urllib.parse.parse_qsl(parts.query, keep_blank_values=True)})
        return f"{parts.netloc} {path} {names}"
    return [group(uri) for uri in uris]


def main():
    program = sys.argv[1]
    print("| half | routes | URIs | by | templates | purity | completeness | URIs/s |")
    print("|---|---|---|---|---|---|---|---|")
    worst = 1.0
    for half in ("tuned", "held_out"):
        rows = labelled(half)
        uris, labels = [uri for uri, _ in rows], [label for _, label in rows]
        tools = [("urimill", lambda uris: urimill(program, uris))]
        tools += [(f"Drain3, {at}", functools.partial(drain3, threshold=at)) for at in (0.4, 0.6, 0.8)]
        tools += [("uro", uro)]
        for name, tool in tools:
            start = time.perf_counter()
            groups = tool(uris)
            seconds = time.perf_counter() - start
            purity, completeness = quality(labels, groups)
            if name == "urimill":
                worst = min(worst, purity, completeness)
                found = groups
            speed = "-" if name == "urimill" else f"{len(uris) / seconds:,.0f}"
            print(f"| {half} | {len(set(labels))} | {len(uris)} | {name} | {len(set(groups))} | {purity:.3f} "
                  f"| {completeness:.3f} | {speed} |")
        if "--wrong" in sys.argv:
            wrong(labels, found, uris)
    sys.exit(0 if worst >= 0.95 else 1)


def wrong(labels, groups, uris):
    """Routes that are in pieces, and templates of several routes."""
    of_label, of_group = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for label, group in zip(labels, groups):
        of_label[label][group] += 1
        of_group[group][label] += 1
    for label, counts in of_label.items():
        if len(counts) > 1:
            print(f"  {label}: {counts.most_common(6)}")
    for group, counts in of_group.items():
        if len(counts) > 1:
            print(f"  MIXED {group}: {counts.most_common(6)}")


if __name__ == "__main__":
    main()
