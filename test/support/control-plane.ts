import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The real control plane that test/cluster/up started: its parts can be stopped, continued, ended and started again. */
export function controlPlane() {
  const dir = process.env.SLIPWAY_CLUSTER_DIR;
  if (dir === undefined) throw new Error('these tests want SLIPWAY_CLUSTER_DIR, as test/cluster/up prints it');
  const pid = (part: string) => Number(readFileSync(path.join(dir, `${part}.pid`), 'utf8'));
  return {
    stop: (part: string) => process.kill(pid(part), 'SIGSTOP'),
    continue: (part: string) => process.kill(pid(part), 'SIGCONT'),
    /** Ends the part at once and starts it again on the same data and address. */
    restart: (part: string) => execFileSync('test/cluster/up', ['--dir', dir, '--part', part], { stdio: 'ignore', timeout: 120_000 }),
  };
}
