import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { AppError } from '@/lib/contract/app-error';
import { readFields, readString } from '@/lib/kube/fields';
import type { Cluster } from '@/server/kube';
import { isConflict } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { ReleaseRef } from '../model/release';
import { storedName } from '../model/release';

const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;
const FIELD_MANAGER = 'slipway.dev/chartsync';
const MAX_BYTES = 128 * 1024 * 1024;

interface UnlockDeps {
  /** The cluster as whoever acts for the release. */
  readonly cluster: Cluster;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Marks a pending revision as failed, in its label and in its payload, since Helm goes by both. Everything else of the payload stays as Helm wrote it, to the
 * byte: reading and writing its numbers would round some. What Helm writes meanwhile is not overwritten.
 */
export async function markFailed(release: ReleaseRef, revision: number, { cluster, clock }: UnlockDeps): Promise<void> {
  const { namespace, name } = release;
  const what = `revision ${revision} of release ${name} in ${namespace}`;
  const secret = await cluster.get({ ...SECRET, namespace, name: storedName(release, revision) });
  const payload = readString(secret, 'data', 'release');
  const pending = secret.metadata.labels?.status ?? '';
  if (payload === undefined || !pending.startsWith('pending-'))
    throw new AppError('conflict', `${what} is ${pending || 'in no state'} now, not pending`);
  const labels = { ...secret.metadata.labels, status: 'failed', modifiedAt: String(Math.floor(clock.now() / 1000)) };
  const data = { ...readFields(secret, 'data'), release: await failedPayload(payload, pending, what) };
  await cluster
    .update({ ...secret, metadata: { ...secret.metadata, labels }, data }, { fieldManager: FIELD_MANAGER })
    .catch((error: unknown) => {
      if (!isConflict(error)) throw error;
      throw new AppError('conflict', `${what} was written in the meantime: Helm may be running elsewhere`);
    });
}

/** The payload of a revision with the state `failed` in the place of the one it has. */
async function failedPayload(payload: string, from: string, what: string): Promise<string> {
  const packed = Buffer.from(Buffer.from(payload, 'base64').toString('latin1'), 'base64');
  const text = (await promisify(gunzip)(packed, { maxOutputLength: MAX_BYTES })).toString('utf8');
  // Quotes within a text are escaped, so this is a member and no part of one. Helm writes `info` first; what people wrote comes with the chart.
  const member = `"status":${JSON.stringify(from)}`;
  const [at, chart] = [text.indexOf(member), text.indexOf('"chart":')];
  if (at < 0 || (chart >= 0 && chart < at))
    throw new AppError('internal', `the payload of ${what} does not have the status ${from} where Helm writes it`);
  const changed = `${text.slice(0, at)}"status":"failed"${text.slice(at + member.length)}`;
  return Buffer.from((await promisify(gzip)(changed)).toString('base64')).toString('base64');
}
