"""What all measurements share: control planes, processes under measurement, the audit log."""
import collections
import json
import os
import shutil
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PEER = os.environ["PEER"]                      # the built Go program of go/
SLIPWAY = os.environ.get("SLIPWAY_DIR", os.path.abspath(f"{HERE}/../../.."))  # a built checkout
WORK = os.environ["WORK"]                      # scratch folder
CLUSTER = os.path.abspath(f"{HERE}/../../cluster")
TICK = os.sysconf("SC_CLK_TCK")


def load():
    return [float(x) for x in open("/proc/loadavg").read().split()[:3]]


def busy(seconds=2.0):
    """Share of the machine's processor time that is in use now (load averages lag by a minute)."""
    def read():
        v = [int(x) for x in open("/proc/stat").readline().split()[1:9]]
        return sum(v), v[3] + v[4]
    a, i = read(); time.sleep(seconds); b, j = read()
    return 1 - (j - i) / max(1, b - a)


def quiet(limit=int(os.environ.get("QUIET", "60")), at_most=0.35):
    """Waits until little of the machine is in use, for so long at most; tells what was in use at the end."""
    end = time.time() + limit
    while True:
        now = busy()
        if now <= at_most or time.time() > end:
            return round(now, 2)


def cpu_s(pid):
    v = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(v[11]) + int(v[12])) / TICK


def mem_mb(pid, field="VmRSS"):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return 0


class Plane:
    def __init__(self, name, nodes=3, more=""):
        self.dir = os.path.join(WORK, name)
        env = dict(os.environ, MORE_ARGS=more)
        out = subprocess.run([f"{HERE}/audited-up", self.dir, str(nodes)], env=env, check=True, capture_output=True, text=True).stdout
        self.bin = [l for l in out.splitlines() if "KUBEBUILDER_ASSETS" in l][0].split("=", 1)[1]
        self.kubeconfig = f"{self.dir}/admin.kubeconfig"

    def pid(self, part):
        return int(open(f"{self.dir}/{part}.pid").read())

    def kubectl(self, *args, stdin=None, check=True):
        return subprocess.run([f"{self.bin}/kubectl", "--kubeconfig", self.kubeconfig, *args], input=stdin, text=True, check=check, capture_output=True).stdout

    def lists(self):
        total = 0
        for line in self.kubectl("get", "--raw", "/metrics").splitlines():
            if line.startswith("apiserver_request_total") and 'verb="LIST"' in line:
                total += float(line.rsplit(" ", 1)[1])
        return int(total)

    def down(self, delete=True):
        subprocess.run([f"{CLUSTER}/down", "--dir", self.dir, *(["--delete"] if delete else [])], check=False)

    def audit_size(self):
        return os.path.getsize(f"{self.dir}/audit.log")

    def audit(self, since=0, until=None):
        """Requests noted since a place in the log, as counts by who, verb and resource; watches left out."""
        counts = collections.Counter()
        with open(f"{self.dir}/audit.log", "rb") as f:
            f.seek(since)
            for raw in f:
                try:
                    e = json.loads(raw)
                except ValueError:
                    continue
                if e["verb"] == "watch":
                    continue
                agent = (e.get("userAgent") or "none").split("/")[0]  # a checkout of before 23 November 2026 sends none
                user = e["user"]["username"]
                ref = e.get("objectRef") or {}
                what = ref.get("resource", e["requestURI"].split("?")[0]) + ("/" + ref["subresource"] if ref.get("subresource") else "")
                if "dryRun=" in e["requestURI"]:
                    what += " (dry run)"
                counts[(f"{user}:{agent}", e["verb"], what)] += 1
        return counts


SLIPWAY_AGENTS = ("slipway:slipway", "slipway:none")
WRITES = ("create", "update", "patch", "delete", "deletecollection")


def writes_of(counts, who, but=("leases", "events", "subjectaccessreviews", "selfsubjectaccessreviews", "tokenreviews")):
    """Writes of one client: in all, and by verb and resource. Leases, events and reviews are counted apart."""
    mine = {}
    for (w, v, r), n in counts.items():
        if w in named(who) and v in WRITES:
            mine[(v, r)] = mine.get((v, r), 0) + n
    proper = {f"{v} {r}": n for (v, r), n in sorted(mine.items(), key=lambda x: -x[1]) if r not in but}
    apart = {f"{v} {r}": n for (v, r), n in mine.items() if r in but}
    return {"writes": sum(proper.values()), "by": proper, "apart": apart}


def reads_of(counts, who):
    by = {}
    for (w, v, r), n in sorted(counts.items(), key=lambda x: -x[1]):
        if w in named(who) and v in ("get", "list"):
            by[f"{v} {r}"] = by.get(f"{v} {r}", 0) + n
    return {"reads": sum(by.values()), "by": dict(list(by.items())[:8])}


def named(who):
    return (who,) if isinstance(who, str) else who


class Process:
    """A controller under measurement."""
    def __init__(self, name, argv, env=None, cwd=None):
        self.log = open(os.path.join(WORK, name + ".log"), "w")
        self.p = subprocess.Popen(argv, env={**os.environ, **(env or {})}, cwd=cwd, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)
        self.pid = self.p.pid
        self.peak, self._go = 0, True
        threading.Thread(target=self._sample, daemon=True).start()

    def _sample(self):
        while self._go and self.p.poll() is None:
            try:
                self.peak = max(self.peak, mem_mb(self.pid))
            except OSError:
                return
            time.sleep(0.2)

    def cpu(self):
        return cpu_s(self.pid)

    def rss(self):
        return mem_mb(self.pid)

    def stop(self):
        self._go = False
        if self.p.poll() is None:
            self.p.terminate()
            try:
                self.p.wait(20)
            except subprocess.TimeoutExpired:
                self.p.kill(); self.p.wait()
        self.log.close()


def start_slipway(plane, name, port, fresh=True):
    """The built server as `npm start` runs it, as user slipway with all rights; with an empty store unless it is a restart."""
    if fresh:
        shutil.rmtree(f"{WORK}/{name}-data", ignore_errors=True)
    plane.kubectl("create", "clusterrolebinding", "slipway-all", "--clusterrole=cluster-admin", "--group=slipway:servers", check=False)
    p = Process(name, ["node", *os.environ.get("SLIPWAY_NODE_ARGS", "").split(), "scripts/start.mjs"], cwd=SLIPWAY, env={
        "SLIPWAY_KUBECONFIG": f"{plane.dir}/slipway.kubeconfig", "SLIPWAY_PORT": str(port), "SLIPWAY_DATA_DIR": f"{WORK}/{name}-data",
    })
    end = time.time() + 90
    while "http" not in open(p.log.name).read():
        if p.p.poll() is not None or time.time() > end:
            raise RuntimeError(open(p.log.name).read())
        time.sleep(0.2)
    return p


def idle(process, limit=60, window=3.0, below=0.05):
    """Waits until a process uses little processor time; tells for how long it was busy."""
    began = time.time(); last_busy = began
    while time.time() - began < limit:
        a = process.cpu(); time.sleep(0.5); b = process.cpu()
        if (b - a) / 0.5 > below:
            last_busy = time.time()
        if time.time() - last_busy > window:
            break
    return last_busy - began


def emit(result):
    print(json.dumps(result), flush=True)
