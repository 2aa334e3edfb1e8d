"""rollouts.py COUNT REPEATS [SIDES]: COUNT canaries of 20 replicas in five stages; Argo Rollouts and Slipway in turn, each on a control plane of its own.
SIDES: argo, slipway, and deployments, where a program scales two Deployments and does nothing else: what no controller of Deployments can undercut.
ROLLOUTS: the built rollouts-controller. ROLLOUTS_CRDS: its manifests/crds. ROLLOUTS_ARGS: more arguments of it."""
import shlex
import sys

from harness import *

count, repeats = int(sys.argv[1]), int(sys.argv[2])
sides = sys.argv[3].split(",") if len(sys.argv) > 3 else ["argo", "slipway"]


def start(side, plane):
    if side == "argo":
        for crd in ("rollout", "experiment", "analysis-run", "analysis-template", "cluster-analysis-template"):
            plane.kubectl("apply", "--server-side", "-f", f"{os.environ['ROLLOUTS_CRDS']}/{crd}-crd.yaml")
        plane.kubectl("create", "namespace", "argo-rollouts", check=False)
        p = Process("argo", [os.environ["ROLLOUTS"], "--kubeconfig", plane.kubeconfig, "-n", "argo-rollouts", "--leader-elect=false", "--healthzPort", "18080", "--metricsPort", "18090",
                             *shlex.split(os.environ.get("ROLLOUTS_ARGS", ""))], cwd=WORK)
        time.sleep(5)
        return p, "admin:rollouts-controller"
    if side == "deployments":
        return Process("nothing", ["sleep", "infinity"]), "admin:peer-rollouts"
    return start_slipway(plane, "rollouts-slipway", 4330), SLIPWAY_AGENTS


for repeat in range(repeats):
    for side in sides:
        plane = Plane(f"rollouts-{side}", nodes=6)
        process = None
        try:
            process, who = start(side, plane)
            idle(process)
            start_rss = process.rss()
            was = quiet()
            env = dict(os.environ, KUBECONFIG=plane.kubeconfig, SIDE=side, PREFIX="ro", COUNT=str(count), LIMIT=os.environ.get("LIMIT", "400"), REST_MS="5000" if count == 1 else "8000")
            d = subprocess.Popen([PEER, "rollouts"], env=env, stdout=subprocess.PIPE, text=True)
            created_cpu0 = process.cpu()
            d.stdout.readline()
            cpu, kcm, api, at = process.cpu(), cpu_s(plane.pid("kube-controller-manager")), cpu_s(plane.pid("kube-apiserver")), plane.audit_size()
            d.stdout.readline()
            cpu, kcm, api = process.cpu() - cpu, cpu_s(plane.pid("kube-controller-manager")) - kcm, cpu_s(plane.pid("kube-apiserver")) - api
            r = json.loads(d.stdout.read().splitlines()[-1]); d.wait()
            time.sleep(2)
            counts = plane.audit(since=at)
            r.update(repeat=repeat, busyBefore=was, load=load(), cpuS=cpu, kcmCpuS=kcm, apiserverCpuS=api, rssAtStartMb=start_rss, rssMb=process.rss(), peakMb=process.peak,
                     writes=writes_of(counts, who), reads=reads_of(counts, who), clients={w: sum(n for (x, v, _), n in counts.items() if x == w and v in WRITES) for w in {k[0] for k in counts}})
            emit(r)
        finally:
            if process:
                process.stop()
            if os.environ.get("KEEP_AUDIT"):
                os.system(f"cp {plane.dir}/audit.log {WORK}/audit-{side}-{count}.log")
            plane.down()
