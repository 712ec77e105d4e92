"""Compares a campaign's rows with what the simulator has answered: judge.py outcomes.csv requests.jsonl"""

import collections
import csv
import json
import sys

with open(sys.argv[1], newline="") as file:
    rows = list(csv.DictReader(file))
with open(sys.argv[2]) as file:
    requests = [json.loads(line) for line in file]
accepted = collections.Counter(request["token"] for request in requests if request["status"] == 200)
outcomes = collections.Counter(row["outcome"] for row in rows)

assert sorted(int(row["line"]) for row in rows) == list(range(2, 5002)), "a record has no row, or two"
assert max(accepted.values()) == 1, "a device got the text twice"
for row in rows:
    was_accepted = accepted[row["token"]] == 1
    assert row["outcome"] in ("unknown", "delivered" if was_accepted else "rejected"), row
# 50 devices have removed the app. What was in flight at the kill and the cut is unknown, of them, too.
assert 25 <= outcomes["rejected"] <= 50 <= outcomes["rejected"] + outcomes["unknown"], outcomes
titles = [request["payload"]["aps"]["alert"]["title"] for request in requests if request["token"].endswith(f"{7:056x}")]
assert titles == ['Hello Ann "A" O\'Hara'], titles
print(f"every row is true: {sum(outcomes.values())} rows, {sum(accepted.values())} accepted")
