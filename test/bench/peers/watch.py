"""watch.py REPEATS: change to status event at 100 changes a second over 5000 pods; cli-utils, Slipway's StatusWatcher and its LiveStatus in turn."""
import bisect
import sys

from harness import *


def percentile(of, p):
    return of[min(len(of) - 1, int(len(of) * p))] if of else None


def joined(changes, events):
    """Each event belongs to the last change of its object that was sent before it; each change counts once."""
    sent = {}
    for line in open(changes):
        name, ready, at, answered = line.strip().split(",")
        sent.setdefault(name, []).append((float(at), float(answered)))
    for of in sent.values():
        of.sort()
    delays, after, told = [], [], set()
    for line in open(events):
        name, ready, at = line.strip().split(",")
        of = sent.get(name, [])
        n = bisect.bisect_right(of, (float(at), 1e18)) - 1
        if n < 0 or (name, n) in told:
            continue
        told.add((name, n))
        delays.append(float(at) - of[n][0])
        after.append(float(at) - of[n][1])
    delays.sort(); after.sort()
    total = sum(len(of) for of in sent.values())
    return {"changes": total, "told": len(told), "p50": percentile(delays, .5), "p90": percentile(delays, .9), "p99": percentile(delays, .99), "max": delays[-1] if delays else None,
            "afterAnswerP50": percentile(after, .5), "afterAnswerP99": percentile(after, .99)}


plane = Plane("watch", nodes=1)
try:
    base = dict(os.environ, KUBECONFIG=plane.kubeconfig, PREFIX="watched", NAMESPACES="10", PODS="5000", TSX_TSCONFIG_PATH=f"{SLIPWAY}/tsconfig.json")
    subprocess.run([PEER, "pods"], env=base, check=True)
    time.sleep(5)
    ready = True
    for repeat in range(int(sys.argv[1])):
        for side, argv, how in (("cli-utils", [PEER, "watch"], ""), ("watcher", ["node", "--import", "tsx", f"{HERE}/ts/watch.ts"], "watcher"), ("live", ["node", "--import", "tsx", f"{HERE}/ts/watch.ts"], "live")):
            was = quiet()
            ready = not ready
            events, changes = f"{WORK}/events.csv", f"{WORK}/changes.csv"
            api = cpu_s(plane.pid("kube-apiserver"))
            w = subprocess.Popen(argv, env=dict(base, OUT=events, HOW=how, SECONDS="35"), cwd=SLIPWAY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while w.stderr.readline().strip() != "synced":
                if w.poll() is not None:
                    raise RuntimeError("the watcher ended")
            time.sleep(2)
            subprocess.run([PEER, "churn"], env=dict(base, OUT=changes, RATE="100", SECONDS="30", READY="1" if ready else "0"), check=True)
            out, _ = w.communicate()
            r = json.loads(out.splitlines()[-1])
            r.update(joined(changes, events), repeat=repeat, busyBefore=was, load=load(), apiserverCpuS=cpu_s(plane.pid("kube-apiserver")) - api)
            emit(r)
finally:
    plane.down()
