import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SCRIPTS = path.resolve(import.meta.dirname, '../cluster');

/** A control plane of one's own, to be stopped, frozen and set back in time. */
export interface ControlPlane extends AsyncDisposable {
  readonly kubeconfig: string;
  /** Kills a part and starts it again. */
  restart(part: 'kube-apiserver' | 'etcd'): Promise<void>;
  kill(part: 'kube-apiserver' | 'etcd'): Promise<void>;
  freeze(part: 'kube-apiserver' | 'etcd'): Promise<void>;
  thaw(part: 'kube-apiserver' | 'etcd'): Promise<void>;
  /** Copies what etcd holds; the result puts it back, as a restore from backup does. etcd must not run then. */
  backUp(): Promise<() => Promise<void>>;
}

/** Starts one in a folder of its own; it takes some five seconds. */
export async function startControlPlane(): Promise<ControlPlane> {
  const dir = await mkdtemp(path.join(tmpdir(), 'control-plane-'));
  await run(path.join(SCRIPTS, 'up'), ['--dir', dir, '--nodes', '0']);
  const signal = async (part: string, name: NodeJS.Signals) => {
    process.kill(Number((await readFile(path.join(dir, `${part}.pid`), 'utf8')).trim()), name);
  };
  const data = path.join(dir, 'etcd');
  return {
    kubeconfig: path.join(dir, 'admin.kubeconfig'),
    restart: async (part) => void (await run(path.join(SCRIPTS, 'up'), ['--dir', dir, '--part', part])),
    kill: (part) => signal(part, 'SIGKILL'),
    freeze: (part) => signal(part, 'SIGSTOP'),
    thaw: (part) => signal(part, 'SIGCONT'),
    async backUp() {
      const copy = path.join(dir, 'backup');
      await signal('etcd', 'SIGSTOP');
      await cp(data, copy, { recursive: true });
      await signal('etcd', 'SIGCONT');
      return async () => {
        await rm(data, { recursive: true });
        await cp(copy, data, { recursive: true });
      };
    },
    async [Symbol.asyncDispose]() {
      await run(path.join(SCRIPTS, 'down'), ['--dir', dir, '--delete']);
    },
  };
}
