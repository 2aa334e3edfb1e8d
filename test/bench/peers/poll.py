"""poll.py REPEATS: one poll of 10 000 objects in 10 and in 40 namespaces, cli-utils and Slipway in turn."""
import sys

from harness import *

plane = Plane("poll", nodes=6)
try:
    for namespaces in (10, 40):
        env = dict(os.environ, KUBECONFIG=plane.kubeconfig, PREFIX=f"poll{namespaces}", NAMESPACES=str(namespaces), CONFIGMAPS="9000", DEPLOYMENTS="1000")
        subprocess.run([PEER, "seed"], env=env, check=True)
    end = time.time() + 240
    while time.time() < end:
        pods = plane.kubectl("get", "pods", "-A", "--field-selector=status.phase=Running", "--no-headers").count("\n")
        if pods >= 2000:
            break
        time.sleep(3)
    print("pods running", pods, file=sys.stderr)
    time.sleep(15)
    for namespaces in (10, 40):
        env = dict(os.environ, KUBECONFIG=plane.kubeconfig, PREFIX=f"poll{namespaces}", NAMESPACES=str(namespaces), CONFIGMAPS="9000", DEPLOYMENTS="1000",
                   ROUNDS=os.environ.get("ROUNDS", "8"), TSX_TSCONFIG_PATH=f"{SLIPWAY}/tsconfig.json")
        for repeat in range(int(sys.argv[1])):
            for side, argv in (("cli-utils", [PEER, "poll"]), ("slipway", ["node", "--import", "tsx", f"{HERE}/ts/poll.ts"])):
                was = quiet()
                lists, api, etcd = plane.lists(), cpu_s(plane.pid("kube-apiserver")), cpu_s(plane.pid("etcd"))
                out = subprocess.run(argv, env=env, cwd=SLIPWAY, check=True, capture_output=True, text=True).stdout
                r = json.loads(out.splitlines()[-1])
                r.update(namespaces=namespaces, repeat=repeat, busyBefore=was, load=load(), serverLists=plane.lists() - lists,
                         apiserverCpuS=cpu_s(plane.pid("kube-apiserver")) - api, etcdCpuS=cpu_s(plane.pid("etcd")) - etcd)
                emit(r)
finally:
    plane.down()
