import type { ReleaseVerb } from '@/lib/contract/release-decision';
import { toReleaseKindRef } from '@/lib/contract/release-kind';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { formatRelease } from '@/lib/words/format-release';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';

interface Decision {
  readonly by: string;
  readonly groups?: readonly string[];
  readonly type?: TypeRef;
  readonly [member: string]: unknown;
}

/** Decides about the release `ledger`, and tells what became of that. */
export async function decide(house: ChartHouse, verb: ReleaseVerb, { by, groups = [], type = KINDS.fluxHelmRelease, ...more }: Decision) {
  const uid = (await house.get(type, 'ledger'))?.metadata.uid;
  const spec = { releaseRef: { ...toReleaseKindRef(type), name: 'ledger', uid }, verb, actor: { user: by, groups }, ...more };
  const { metadata } = await house.cluster.create({
    ...KINDS.releaseDecision,
    metadata: { generateName: 'ledger-', namespace: 'pay' },
    spec,
  });
  const read = async () => (await house.get(KINDS.releaseDecision, metadata.name ?? ''))?.status;
  const isDone = (status: unknown) => readString(status, 'phase') === 'Rejected' || readString(status, 'finishedAt') !== undefined;
  await until(`${verb} is answered`, async () => isDone(await read()));
  const status = await read();
  return `${readString(status, 'phase')}: ${readString(status, 'message')}`;
}

export const waitingOf = (house: ChartHouse, type?: TypeRef) => house.tell('ledger', type)?.gate?.waiting ?? undefined;
export const says = (house: ChartHouse, type?: TypeRef) => formatRelease(house.tell('ledger', type)?.says ?? { id: 'state.suspended' });
export const short = (commit: string) => commit.slice(0, 8);
export const greeting = (text: string) => ({
  'templates/greeting.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ledger-greeting }\ndata: { text: ${text} }\n`,
});
export const textOf = async (house: ChartHouse) =>
  readString(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'ledger-greeting'), 'data', 'text');

/** Approves what waits, as it is shown. */
export async function approve(house: ChartHouse, by: string, more: object = {}, type?: TypeRef) {
  await until('a commit waits', () => waitingOf(house, type) !== undefined);
  const waiting = waitingOf(house, type);
  return decide(house, 'approve', { by, commit: waiting?.commit, seen: { chart: waiting?.chart }, ...(type && { type }), ...more });
}

/** Decides about the release `ledger`, whatever becomes of that. */
export async function leave(
  house: ChartHouse,
  verb: ReleaseVerb,
  { type, ...more }: { readonly type: TypeRef; readonly reason?: string; readonly seen?: object },
) {
  const releaseRef = { ...toReleaseKindRef(type), name: 'ledger', uid: (await house.get(type, 'ledger'))?.metadata.uid };
  const spec = { releaseRef, verb, actor: { user: 'carol', groups: [] }, ...more };
  await house.cluster.create({ ...KINDS.releaseDecision, metadata: { generateName: `${verb}-`, namespace: 'pay' }, spec });
}
