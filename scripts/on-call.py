#!/usr/bin/env python3
"""A night on call, as a story: two campaigns, two workers, Redis with Sentinel; what an operator does, and what goes wrong.

    PUSHCTL=path scripts/on-call.py [TOKENS]     200,000 when left out, half of them in each campaign

Both campaigns are put and worked on with --replicas 1. One is paused, its rate changed; the other is cancelled; the primary dies;
a worker is killed. /readyz and /metrics say at each step what is so. In the end each token of the first campaign has one outcome,
what was in doubt is unknown, nothing of it was pushed twice, and the cancelled one was pushed no more from one second after the
order. The simulator's log and the rows of the queue are the judges. On a busy machine the second is longer by four times what
a thread of this script is late meanwhile.

Needs redis-server and redis-sentinel, and a pushctl with the trait Server. KEEP=1 leaves the folder.
"""
import calendar
import collections
import csv
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

PUSHCTL = os.environ.get("PUSHCTL", "pushctl")
TOKENS = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="on-call."))
START = time.monotonic()
# How many have to get a turn between an order and the note of the last push before it: a worker that asks, Redis, the worker, the simulator.
TURNS = 4
running = []
drawn = set()


def say(text):
    print(f"{time.monotonic() - START:6.1f} s  {text}", flush=True)


def check(holds, text):
    if not holds:
        raise SystemExit(f"on-call: it is not so that {text}")


class Lateness(threading.Thread):
    """By how much a thread oversleeps that sleeps again and again: how late this machine lets everyone be."""

    NAP = 0.02

    def __init__(self):
        super().__init__(daemon=True)
        self.naps = []

    def run(self):
        while True:
            begin = time.time()
            start = time.monotonic()
            time.sleep(self.NAP)
            slept = time.monotonic() - start
            self.naps.append((begin, begin + slept, slept - self.NAP))

    def most(self, begin, end):
        """The most in a time."""
        return max((late for start, stop, late in list(self.naps) if start < end and stop > begin), default=0)


def free_port():
    """A port below those that the system gives to other programs meanwhile."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in drawn:
            drawn.add(port)
            return port


def start(name, *command, **options):
    log = open(FOLDER / f"{name}.log", "ab")
    process = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, cwd=FOLDER, **options)
    running.append(process)
    return process


def until(what, look, seconds=120):
    """Waits until a look is true, and returns what it saw."""
    end = time.monotonic() + seconds
    while True:
        seen = look()
        if seen:
            return seen
        check(time.monotonic() < end, f"within {seconds} s {what}")
        time.sleep(0.05)


def pushctl(*words):
    end = subprocess.run(
        [PUSHCTL, *[str(word) for word in words], "--queue", QUEUE], cwd=FOLDER, capture_output=True, text=True, timeout=300
    )
    check(end.returncode == 0, f"pushctl {' '.join(map(str, words))} succeeds: {end.stderr.strip()}")
    return end.stdout


def campaign(name):
    for line in pushctl("queue", "campaigns", "--json").splitlines():
        standing = json.loads(line)
        if standing["campaign"] == name:
            return standing
    raise SystemExit(f"on-call: the queue has no campaign {name}")


def http(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return 0, ""


def metric(port, name, **labels):
    """The sum of the samples with these labels; nil if there are none."""
    found = None
    for line in http(port, "/metrics")[1].splitlines():
        if line.startswith(name + "{") and all(f'{key}="{value}"' in line for key, value in labels.items()):
            found = (found or 0) + float(line.rsplit(" ", 1)[1])
    return found


def pushes(campaign_letter):
    """What the simulator has seen of a campaign: its tokens begin with the letter."""
    with open(FOLDER / "pushes.ndjson") as log:
        for line in log:
            # A line may be half written.
            if line.endswith("\n"):
                push = json.loads(line)
                if push["token"].startswith(campaign_letter):
                    yield push


def wait_for_the_log():
    """Waits until the log has all that was pushed so far: it is in this order, and here a push to a device of its own is the last."""
    end = subprocess.run(
        [PUSHCTL, "send", "c" * 64, "--body", "x", "--timeout", "100", "--config", "apns.json"],
        cwd=FOLDER, capture_output=True, text=True, timeout=300)
    check(end.returncode == 0, f"a push of the script is delivered: {end.stderr.strip()}")
    until("the log has all pushes", lambda: any(pushes("c")))


def redis_cli(port, *words):
    end = subprocess.run(["redis-cli", "-p", str(port), *words], capture_output=True, text=True, timeout=60)
    return end.stdout.strip()


def begin_redis():
    """A primary with two replicas, so that one is left after a failover, and a Sentinel."""
    ports = [free_port() for _ in range(3)]
    servers = {}
    for index, port in enumerate(ports):
        more = [] if index == 0 else ["--replicaof", "127.0.0.1", ports[0]]
        (FOLDER / str(port)).mkdir()
        servers[port] = start(
            f"redis-{port}", "redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir",
            FOLDER / str(port), "--repl-diskless-sync-delay", 0, *more)
    for port in ports[1:]:
        until("the replicas follow", lambda: "master_link_status:up" in redis_cli(port, "INFO", "replication"))
    sentinel = free_port()
    (FOLDER / "sentinel.conf").write_text(
        f"port {sentinel}\nbind 127.0.0.1\nsentinel monitor pushes 127.0.0.1 {ports[0]} 1\n"
        # Longer than a lease, so that workers are not ready for a while.
        "sentinel down-after-milliseconds pushes 30000\nsentinel failover-timeout pushes 6000\n"
    )
    start("sentinel", "redis-sentinel", FOLDER / "sentinel.conf")
    until("the Sentinel knows the replicas", lambda: "slaves=2" in redis_cli(sentinel, "INFO", "sentinel"))
    return servers, ports[0], sentinel


def write_input(name, letter):
    with open(FOLDER / name, "w") as file:
        file.write("token\n")
        for number in range(TOKENS // 2):
            file.write(f"{letter}{number:063x}\n")


def worker(name):
    process = start(
        name, PUSHCTL, "worker", "--queue", QUEUE, "--config", "apns.json", "--replicas", 1, "--metrics", "127.0.0.1:0")
    log = FOLDER / f"{name}.log"
    place = until(
        "a worker says where its metrics are",
        lambda: re.search(r"metrics at http://127\.0\.0\.1:(\d+)/", log.read_text(errors="replace")))
    return process, int(place.group(1))


def story():
    half = TOKENS // 2
    # Of the queue, and then of a campaign. Slow enough that neither is done before what is to happen to it.
    rate = max(200, TOKENS // 100)
    # APNs answers after a while, so that pushes are in flight when a worker dies.
    (FOLDER / "script.json").write_text('{"rules":[{"when":"push","then":{"delay":"200ms"}}]}')
    start(
        "simulate", PUSHCTL, "simulate", "--write-config", "apns.json", "--log", "pushes.ndjson", "--script", "script.json")
    until("the simulator listens", (FOLDER / "apns.json").exists)
    for name, letter in [("spring.csv", "a"), ("autumn.csv", "b")]:
        write_input(name, letter)
        out = pushctl(
            "queue", "put", name, "--campaign", name[:-4], "--title", "Hello", "--replicas", 1, "--once", "--json")
        check(json.loads(out.splitlines()[0])["tokens"] == half, f"{name} is put")
    pushctl("queue", "rate", f"{rate}/s")
    say(f"two campaigns of {half:,} tokens are in the queue, which has a rate")

    first, first_port = worker("worker-1")
    second, second_port = worker("worker-2")
    for port in (first_port, second_port):
        until("a worker is ready", lambda: http(port, "/readyz")[0] == 200)
        check(http(port, "/livez")[0] == 200, "a worker lives")
    until("both workers are known", lambda: metric(first_port, "supervised_push_queue_workers") == 2)
    # Its entries come first.
    until("pushes of the first campaign go out", lambda: campaign("spring")["delivered"])
    say("two workers are ready and push")

    pushctl("queue", "pause", "--campaign", "spring")
    paused = time.time()
    until("nothing of a paused campaign is taken", lambda: campaign("spring")["taken"] == 0)
    given_back = time.time()
    standing = campaign("spring")
    check(standing["state"] == "paused" and standing["waiting"] > 0, "the campaign is paused and waits")
    until("pushes of the other go on", lambda: campaign("autumn")["delivered"] > 0)
    until("a worker is ready while a campaign is paused", lambda: http(first_port, "/readyz")[0] == 200)
    say(f"spring is paused: {standing['delivered']:,} delivered, {standing['waiting']:,} wait; autumn goes on")

    pushctl("queue", "cancel", "--campaign", "autumn")
    cancelled = time.time()
    pushctl("queue", "rate", "off")
    pushctl("queue", "rate", f"{rate}/s", "--campaign", "spring")
    resumed = time.time()
    pushctl("queue", "resume", "--campaign", "spring")
    until("spring goes on", lambda: campaign("spring")["delivered"] > standing["delivered"])
    until("nothing of the cancelled campaign is open", lambda: sum(
        campaign("autumn")[place] for place in ("waiting", "scheduled", "retrying", "taken")) == 0)
    closed = time.time()
    say(f"autumn is cancelled, {campaign('autumn')['cancelled']:,} tokens of it; spring is resumed, with a rate of its own")

    servers[primary].kill()
    died = time.time()
    say("the primary dies")
    for port in (first_port, second_port):
        status, body = until("a worker without its queue is not ready", lambda: not_ready(port))
        check("push" in body, f"the answer names the queue: {body!r}")
    for port in (first_port, second_port):
        until("the metric says so", lambda: metric(port, "supervised_push_ready") == 0)
    for port in (first_port, second_port):
        until("a worker is ready after the failover", lambda: http(port, "/readyz")[0] == 200)
    say("the workers were not ready, and are again, on the new primary")

    until("the first worker has pushes in flight", lambda: metric(first_port, "supervised_push_queue_in_flight") or 0)
    first.send_signal(signal.SIGKILL)
    say("a worker is killed")
    until("the other takes over", lambda: (
        metric(second_port, "supervised_push_queue_events_total", event="entry_taken_over") or 0) > 0)
    doubts = int(metric(second_port, "supervised_push_queue_events_total", event="token_in_doubt") or 0)
    say(f"the other has taken over; {doubts} tokens were in doubt")
    pushctl("queue", "rate", "off", "--campaign", "spring")
    until("spring is done", lambda: campaign("spring")["state"] == "done", 240)
    second.send_signal(signal.SIGTERM)
    check(second.wait(120) == 143, "the worker ends in order")
    wait_for_the_log()
    judge_order("spring is paused", "a", paused, given_back, resumed)
    judge_order("autumn is cancelled", "b", cancelled, closed, float("inf"))
    # Nothing of it was taken, so all that was pushed until the primary died was charged: a burst, the rate, and one entry.
    sent = sum(resumed < seconds(push["time"]) < died for push in pushes("a"))
    check(0 < sent <= rate * (died - resumed + 1) + 1000, f"spring keeps its rate: {sent:,} in {died - resumed:.1f} s")
    judge(half)


def not_ready(port):
    status, body = http(port, "/readyz")
    return (status, body) if status == 503 else None


def seconds(text):
    """UNIX seconds of `2026-11-28T12:00:00.123Z`."""
    whole, _, rest = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float(f"0.{rest or 0}")


def judge_order(what, letter, ordered, closed, end):
    """After an order no push of a campaign goes out once nothing of it is open, and none later than a second after the order."""
    times = [moment for moment in (seconds(push["time"]) for push in pushes(letter)) if ordered < moment < end]
    late = sum(moment > closed for moment in times)
    check(late == 0, f"once {what} and nothing of it is open, nothing is pushed: {late} were")
    last = max(times, default=ordered) - ordered
    slack = lateness.most(ordered, ordered + last)
    check(last <= 1 + TURNS * slack, f"{what}, and within a second pushed no more: {last:.3f} s, while a thread was {slack:.3f} s late")
    say(f"{what}: its last push came {last:.3f} s after the order, while a thread was up to {slack:.3f} s late")


def judge(half):
    rows = list(csv.DictReader(pushctl("queue", "outcomes").splitlines()))
    counts = collections.Counter(row["token"] for row in rows)
    check(max(counts.values()) == 1, "no token has two outcomes")
    spring = [row for row in rows if row["token"].startswith("a")]
    check(len(spring) == half, f"each token of spring has an outcome: {len(spring):,} have one")
    check(all(row["campaign"] == "spring" and row["ended_at"] for row in spring), "a row has its campaign and its time")
    pushed = collections.Counter(push["token"] for push in pushes("a"))
    check(max(pushed.values()) == 1, "nothing of spring was pushed twice")
    delivered = {row["token"] for row in spring if row["outcome"] == "delivered"}
    unknown = {row["token"]: row["reason"] for row in spring if row["outcome"] == "unknown"}
    check(delivered <= set(pushed), "what is called delivered was pushed")
    check(set(pushed) <= delivered | set(unknown), "what was pushed is delivered or unknown")
    check(len(delivered) + len(unknown) == half, f"the others are unknown: {collections.Counter(row['reason'] for row in spring)}")
    standing = campaign("spring")
    check((standing["delivered"], standing["unknown"]) == (len(delivered), len(unknown)), "the campaign's figures are those of the rows")

    standing = campaign("autumn")
    check(standing["state"] == "cancelled", "autumn is cancelled")
    ended = sum(standing[word] for word in ("delivered", "rejected", "failed", "unknown", "cancelled"))
    check(ended == half, f"the figures of autumn add up to {half:,}: {ended:,}")
    for name in ("spring", "autumn"):
        report = pushctl("queue", "report", "--campaign", name)
        numbers = {line.split()[0]: int(line.split()[1].replace(",", "")) for line in report.splitlines()
                   if len(line.split()) > 1 and line.split()[1].replace(",", "").isdigit()}
        check(sum(numbers.values()) == 2 * numbers["tokens"], f"the report adds up:\n{report}")
    say(f"{len(delivered):,} delivered and {len(unknown):,} unknown of spring; {standing['cancelled']:,} of autumn never went out")


lateness = Lateness()
lateness.start()
try:
    servers, primary, sentinel = begin_redis()
    QUEUE = f"redis+sentinel://127.0.0.1:{sentinel}/pushes"
    story()
    print("on-call: all is as it should be")
except BaseException:
    for log in sorted(FOLDER.glob("*.log")):
        print(f"---- {log.name}")
        print("\n".join(log.read_text(errors="replace").splitlines()[-15:]))
    raise
finally:
    for process in running:
        process.kill()
    for process in running:
        process.wait()
    if "KEEP" in os.environ:
        print(f"see {FOLDER}")
    else:
        shutil.rmtree(FOLDER, ignore_errors=True)
