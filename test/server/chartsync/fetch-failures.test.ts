import { describe, expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { MirrorState, MirrorView } from '@/server/chartsync/git/mirror-state';
import { runStatusPass } from '@/server/chartsync/loops/status-pass';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { ResourceEvent } from '@/server/chartsync/ports';
import { findingsOfMirrors } from '@/server/chartsync/session/state';
import { ManualClock } from '../../support/manual-clock';
import { silentLog } from '../../support/silent-log';

const SINCE = '2026-11-28T02:00:00Z';
const OUT = { since: SINCE, message: 'the server is out' };
const failing = (why: string): MirrorState => ({ kind: 'new', why, failures: 3 });

const NEXT = toInstant(Date.UTC(2026, 10, 28, 2, 5));

function toLook(state: MirrorState): MirrorView {
  const { why, failures } = 'failures' in state ? state : { why: null, failures: 0 };
  return { id: '', state: state.kind, why, failures, since: NEXT, fetchedAt: null, nextAt: NEXT };
}

/** The Events of the last pass. */
const events: string[] = [];

/** What a status pass writes of the repository to a resource of the base kind, or of a later one. */
async function written(
  state: MirrorState,
  unfetched: object | undefined,
  type: { readonly apiVersion: string; readonly kind: string } = KINDS.fluxHelmRelease,
) {
  const resource = readDeclared({
    ...type,
    metadata: { namespace: 'pay', name: 'ledger', uid: 'u', generation: 1 },
    spec: { chartGitPath: 'ledger', chart: { git: 'https://git.example/charts', ref: 'main', path: 'ledger' }, values: {} },
    ...(unfetched === undefined ? {} : { status: { unfetched } }),
  });
  const changes: Fields[] = [];
  events.length = 0;
  const nexts: (Instant | undefined)[] = [];
  const deps = {
    listAll: async () => [resource],
    resources: {
      writeStatus: async (_at: unknown, change: Fields) => void changes.push(change),
      recordEvent: async (_at: unknown, { type: severity, reason, message }: ResourceEvent) =>
        void events.push(`${severity} ${reason}: ${message}`),
    },
    helm: { readStates: async () => new Map() },
    mirrorLookOf: () => toLook(state),
    noteNextFetch: (_: unknown, next: Instant | undefined) => void nexts.push(next),
    clock: new ManualClock(),
    log: silentLog,
  };
  await runStatusPass(deps, new AbortController().signal);
  expect(nexts).toEqual([toLook(state).failures > 0 ? NEXT : undefined]);
  return changes[0];
}

describe('why the chart repository cannot be fetched', () => {
  it('[issue 12.3] stands in the status of either kind with the moment since when, while it lasts, also when the reason changes', async () => {
    const first = await written(failing('the server is out'), undefined);
    expect(first).toEqual({ unfetched: { since: expect.stringMatching(/Z$/) as string, message: 'the server is out' } });
    expect(await written(failing('the server is out'), OUT)).toBeUndefined();
    expect(await written(failing('refused'), OUT)).toEqual({ unfetched: { since: SINCE, message: 'refused' } });
    expect(await written({ kind: 'ready' }, OUT)).toEqual({ unfetched: null });
    expect(await written({ kind: 'ready' }, undefined)).toBeUndefined();
    expect(await written(failing('the server is out'), undefined, KINDS.helmRelease)).toEqual(first);
    expect(await written({ kind: 'ready' }, OUT, KINDS.helmRelease)).toEqual({ unfetched: null });
  });

  it('[issue 12.3] is an Event when it begins and when it is over, and none while it lasts', async () => {
    await written(failing('the server is out'), undefined);
    expect(events).toEqual(['Warning FetchFailed: the chart repository cannot be fetched: the server is out']);
    for (const why of ['the server is out', 'refused']) {
      await written(failing(why), OUT);
      expect(events).toEqual([]);
    }
    await written({ kind: 'ready' }, OUT, KINDS.helmRelease);
    expect(events).toEqual(['Normal Fetched: the chart repository is fetched again']);
    await written({ kind: 'ready' }, undefined);
    expect(events).toEqual([]);
  });

  it('[issue 12.3] is a finding of each repository, but of one that is told otherwise, and those that are too many are counted', () => {
    const look = (id: string, state: MirrorState) => ({ ...toLook(state), id });
    const out = look('https://git.example/one', failing('the server is out'));
    expect(findingsOfMirrors([{ ...out, fetchedAt: NEXT }, look('https://git.example/two', { kind: 'ready' })], undefined)).toMatchObject([
      {
        subject: out.id,
        sentence: `the Git repository ${out.id} cannot be fetched: the server is out; releases stay at what was fetched at 2026-11-28T02:05:00.000Z`,
      },
    ]);
    const all = findingsOfMirrors([...new Array<MirrorView>(12).fill(out), look('told', failing('out'))], 'told');
    expect(all.map(({ sentence }) => sentence)).toEqual([
      ...new Array<string>(10).fill(
        `the Git repository ${out.id} cannot be fetched: the server is out; nothing of it was fetched since the server started`,
      ),
      '2 other Git repositories cannot be fetched either',
    ]);
  });

  it('[issue 12.3] stays there until a process that has begun anew has fetched itself', async () => {
    for (const kind of ['new', 'cloned'] as const) expect(await written({ kind, why: 'not yet', failures: 0 }, OUT)).toBeUndefined();
    expect(await written({ kind: 'unconfigured' }, OUT)).toEqual({ unfetched: null });
  });
});
