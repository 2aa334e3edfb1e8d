import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { AuditedWrite } from '../support/plane/audit';
import { readAudit } from '../support/plane/audit';
import { freeSpaceOf } from '../support/plane/etcd';

const run = promisify(execFile);
const SCRIPTS = path.resolve(import.meta.dirname, '../cluster');

export interface ControlPlaneOptions {
  readonly nodes?: number;
  /** How many bytes etcd holds before it takes nothing more. */
  readonly etcdQuotaBytes?: number;
  /** True where what is written through the API server is to be told afterwards. */
  readonly isAudited?: boolean;
}

/** A control plane of one's own, to be stopped, frozen, filled up and set back in time. */
export interface ControlPlane extends AsyncDisposable {
  readonly kubeconfig: string;
  /** Every write that the API server answered so far, of one that is audited. */
  written(): Promise<readonly AuditedWrite[]>;
  /** Frees what was deleted, and lets etcd take writes again after it was full. */
  freeSpace(): Promise<void>;
  /** Kills a part and starts it again. */
  restart(part: 'kube-apiserver' | 'etcd'): Promise<void>;
  kill(part: 'kube-apiserver' | 'etcd' | 'kube-controller-manager'): Promise<void>;
  freeze(part: 'kube-apiserver' | 'etcd'): Promise<void>;
  thaw(part: 'kube-apiserver' | 'etcd'): Promise<void>;
  /** Copies what etcd holds; the result puts it back, as a restore from backup does. etcd must not run then. */
  backUp(): Promise<() => Promise<void>>;
}

/** Starts one in a folder of its own; it takes some five seconds. */
export async function startControlPlane({ nodes = 0, etcdQuotaBytes, isAudited = false }: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const dir = await mkdtemp(path.join(tmpdir(), 'control-plane-'));
  const log = path.join(dir, 'audit.log');
  const env = {
    ...process.env,
    ETCD_ARGS: etcdQuotaBytes === undefined ? '' : `--quota-backend-bytes ${etcdQuotaBytes}`,
    APISERVER_ARGS: isAudited ? `--audit-policy-file ${path.join(SCRIPTS, 'writes.yaml')} --audit-log-path ${log}` : '',
  };
  const up = (...args: readonly string[]) => run(path.join(SCRIPTS, 'up'), ['--dir', dir, ...args], { env });
  await up('--nodes', String(nodes));
  const signal = async (part: string, name: NodeJS.Signals) => {
    process.kill(Number((await readFile(path.join(dir, `${part}.pid`), 'utf8')).trim()), name);
  };
  const data = path.join(dir, 'etcd');
  return {
    kubeconfig: path.join(dir, 'admin.kubeconfig'),
    restart: async (part) => void (await up('--part', part)),
    written: () => readAudit(log),
    async freeSpace() {
      const address = `http://127.0.0.1:${(await readFile(path.join(dir, 'client.port'), 'utf8')).trim()}`;
      await freeSpaceOf(address);
    },
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
