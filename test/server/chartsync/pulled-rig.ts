import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { afterEach } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import { readCredentials } from '@/server/chartsync/git/credentials';
import type { SecretRef } from '@/server/chartsync/model/extended-spec';
import { PulledCharts } from '@/server/chartsync/sources/pulled-charts';
import { Outbound, readPolicy } from '@/server/outbound';
import { realClock } from '@/server/platform';
import { makeCertificate } from '../../support/loopback-certificate';
import type { LoopbackWeb } from '../../support/loopback-web';
import { startWeb } from '../../support/loopback-web';
import { temporaryFolder } from '../../support/temporary-folder';

const certificate = makeCertificate(['charts.test', 'other.test']);
const CREDENTIALS = { username: 'ann', password: 'canary-77', 'ca.crt': certificate.ca };
export const BASIC = `Basic ${Buffer.from('ann:canary-77').toString('base64')}`;
export const LOOK_MS = 60_000;
const opened: LoopbackWeb[] = [];

afterEach(async () => {
  for (const web of opened.splice(0)) await web[Symbol.asyncDispose]();
});

export async function web(
  listener: (path: string, answer: ServerResponse, authorization: string | undefined) => void,
): Promise<LoopbackWeb> {
  const started = await startWeb((asked, answer) => listener(asked.url ?? '', answer, asked.headers.authorization), { certificate });
  opened.push(started);
  return started;
}

export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Charts that are pulled from this machine, by a clock that the test moves. */
export function open() {
  let now = 1_000_000;
  const folder = temporaryFolder();
  const policy = readPolicy(opened.map(({ port }) => `127.0.0.1:${port}`).join(','));
  const pulled = new PulledCharts({
    folder: path.join(folder, 'pulled'),
    outbound: new Outbound({ policy, clock: realClock, lookup: async () => ['127.0.0.1'] }),
    readCredentials: async ({ secret }) => (secret === undefined ? undefined : readCredentials('Secret repo in pay', CREDENTIALS)),
    lookMs: LOOK_MS,
    clock: { ...realClock, now: () => toInstant(now) },
    signal: new AbortController().signal,
  });
  const pull = (repository: string, version: string, more: { readonly name?: string; readonly secret?: SecretRef } = {}) =>
    pulled.pull(
      { kind: 'repository', repository, name: 'ledger', version, secret: { name: 'repo' }, ...more },
      { namespace: 'pay', account: undefined },
    );
  const refresh = (repository: string) =>
    pulled.refresh(
      { kind: 'repository', repository, name: 'ledger', version: '', secret: { name: 'repo' } },
      { namespace: 'pay', account: undefined },
    );
  const pass = (ms: number) => {
    now += ms;
  };
  return { folder, pulled, pull, refresh, pass };
}

export interface Offered {
  readonly version: string;
  readonly bytes: Buffer;
  readonly url?: string;
  readonly digest?: string | null;
}

export function indexOf(offered: readonly Offered[]): string {
  const entries = offered.map(({ version, bytes, url = `ledger-${version}.tgz`, digest = sha256(bytes) }) => {
    const said = digest === null ? '' : `    digest: ${digest}\n`;
    return `  - apiVersion: v2\n${said}    name: ledger\n    urls:\n    - ${url}\n    version: ${version}\n`;
  });
  return `apiVersion: v1\nentries:\n  ledger:\n${entries.join('')}`;
}
