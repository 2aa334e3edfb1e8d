"""apps.py REPEATS [SIDES]: 100 Applications of 10 ConfigMaps each, until all run, and again after a restart; vela-core and Slipway in turn, each on a control plane of its own.
VELA: the built vela-core. VELA_CRDS: its charts/vela-core/crds. VELA_RENDERED: `helm template` of that chart (see README)."""
import re
import sys

from harness import *

repeats = int(sys.argv[1])
sides = sys.argv[2].split(",") if len(sys.argv) > 2 else ["vela", "slipway"]


def vela_args():
    text = open(os.environ["VELA_RENDERED"]).read()
    args = re.findall(r'^\s+- "(--[^"]+)"', text, re.M)
    drop = ("--metrics-addr", "--enable-leader-election", "--health-addr", "--feature-gates=DisableBootstrapClusterInfo")
    return [a.replace("= ", "=") for a in args if not a.startswith(drop)] + ["--metrics-addr=:18091", "--health-addr=:19440", "--feature-gates=DisableBootstrapClusterInfo=true"]


def prepare_vela(plane):
    plane.kubectl("apply", "--server-side", "-f", os.environ["VELA_CRDS"])
    time.sleep(3)
    plane.kubectl("create", "namespace", "vela-system", check=False)
    documents = open(os.environ["VELA_RENDERED"]).read().split("\n---")
    kept = [d for d in documents if re.search(r"^kind: \w*Definition|^kind: \"?ConfigMap", d, re.M)]
    plane.kubectl("apply", "--server-side", "-n", "vela-system", "-f", "-", stdin="\n---\n".join(kept))


def start(side, plane, fresh=True):
    if side == "vela":
        return Process("vela", [os.environ["VELA"], *vela_args()], env={"KUBECONFIG": plane.kubeconfig}, cwd=WORK), ("admin:vela-core", "admin:kubevela")
    return start_slipway(plane, "apps-slipway", 4330, fresh), SLIPWAY_AGENTS


def settled(process, plane, limit=120):
    """How long until 4 s pass in which the process is idle and writes nothing."""
    return idle(process, limit=limit, window=4.0, below=0.08)


for repeat in range(repeats):
    for side in sides:
        plane = Plane(f"apps-{side}", nodes=1)
        process = None
        try:
            if side == "vela":
                prepare_vela(plane)
            process, who = start(side, plane)
            idle(process, limit=120)
            rss0, was, at, cpu, api = process.rss(), quiet(), plane.audit_size(), process.cpu(), cpu_s(plane.pid("kube-apiserver"))
            env = dict(os.environ, KUBECONFIG=plane.kubeconfig, PREFIX="app", COUNT=os.environ.get("COUNT", "100"), OBJECTS="10", LIMIT="300")
            d = subprocess.run([PEER, "apps"], env=env, stdout=subprocess.PIPE, text=True, check=True)
            r = json.loads(d.stdout.splitlines()[-1])
            r.update(side=side, repeat=repeat, busyBefore=was, load=load(), cpuToRunningS=process.cpu() - cpu, apiserverCpuS=cpu_s(plane.pid("kube-apiserver")) - api)
            r["settledS"] = settled(process, plane)
            time.sleep(2)
            counts = plane.audit(since=at)
            r.update(cpuToSettledS=process.cpu() - cpu, rssAtStartMb=rss0, rssMb=process.rss(), peakMb=process.peak, writes=writes_of(counts, who), reads=reads_of(counts, who),
                     configMaps=plane.kubectl("get", "configmaps", "-A", "--no-headers").count("app-"))
            emit(r)
            process.stop()
            time.sleep(2)
            at = plane.audit_size()
            spawned = time.time()
            process, who = start(side, plane, fresh=False)
            before = time.time() - spawned  # Slipway's start returns when it listens
            took = before + settled(process, plane)
            time.sleep(2)
            counts = plane.audit(since=at)
            emit(dict(side=side, repeat=repeat, what="restart", settledS=took, cpuS=process.cpu(), rssMb=process.rss(), peakMb=process.peak, writes=writes_of(counts, who), reads=reads_of(counts, who), load=load()))
        finally:
            if process:
                process.stop()
            plane.down()
