import { describe, expect, it } from 'vitest';
import type { KeptGate } from '@/lib/contract/release-gate';
import { KINDS } from '@/lib/kube/kinds';
import { identifyChart } from '@/server/chartsync/gate/chart-identity';
import { allowedWith } from '@/server/chartsync/gate/dependency-gate';
import type { Attempted } from '@/server/chartsync/gate/pinned';
import type { ExtendedRelease } from '@/server/chartsync/model/declared';
import { readDeclared } from '@/server/chartsync/model/declared';
import type { ChartAt } from '@/server/chartsync/model/release';

const [COMMIT, OTHER] = ['c'.repeat(40), 'd'.repeat(40)];
const RELEASED: Attempted = { revision: OTHER, digest: undefined };
const NEVER: Attempted = { revision: undefined, digest: undefined };
const RESOURCE = readDeclared({
  ...KINDS.helmRelease,
  metadata: { namespace: 'pay', name: 'ledger', uid: 'u' },
  spec: { chart: { git: 'https://git.example/charts', path: 'ledger' } },
}) as ExtendedRelease;
const cache = (version: string, digit = 'a') => ({ name: 'cache', version, digest: digit.repeat(64) });
const found = (...dependencies: readonly ReturnType<typeof cache>[]): ChartAt => ({
  folder: '/chart',
  path: 'ledger',
  revision: COMMIT,
  ...(dependencies.length === 0 ? {} : { dependencies }),
});

function aGate(commit: string | undefined = COMMIT, chart = 't') {
  const approved = { commit, chart, at: '2027-01-15T08:00:00.000Z', by: ['ada'] };
  let kept: KeptGate = { required: 1, groups: [], ...(commit === undefined ? {} : { approved: { ...approved, commit } }) };
  const gates = {
    of: () => kept,
    change: async (_resource: unknown, next: (gate: KeptGate) => KeptGate) => {
      kept = next(kept);
      return kept;
    },
  };
  const ask = async (chart: ChartAt, isChanged = false, attempted: Attempted = RELEASED) => {
    const allowed = await allowedWith(RESOURCE, { found: chart, isChanged, attempted }, gates);
    return 'waits' in allowed ? allowed.waits : 'allowed';
  };
  return { ask, versions: () => kept.approved?.dependencies?.map(({ version }) => version) };
}

describe('dependencies that a chart of git does not hold, where approvals are required', () => {
  it.each([
    ['another version', cache('1.1.0')],
    ['another archive of the same version', cache('1.0.0', 'b')],
  ])('[issue 12.1] are those that the approved commit was released with first, and not %s', async (_what, moved) => {
    const gate = aGate();
    expect([await gate.ask(found(cache('1.0.0'))), gate.versions()]).toEqual(['allowed', ['1.0.0']]);
    expect(await gate.ask(found(moved))).toContain(`now resolve to cache ${moved.version} (sha256:${moved.digest.slice(0, 12)})`);
    expect(await gate.ask(found(cache('1.0.0')))).toBe('allowed');
    expect([await gate.ask(found(moved), true), gate.versions(), await gate.ask(found(moved))]).toEqual([
      'allowed',
      [moved.version],
      'allowed',
    ]);
  });

  it('[issue 12.1] are kept for the approved commit only, and where some were fetched', async () => {
    expect([await aGate(OTHER).ask(found(cache('1.0.0'))), aGate(OTHER).versions()]).toEqual(['allowed', undefined]);
    const gate = aGate();
    expect([await gate.ask(found()), gate.versions()]).toEqual(['allowed', undefined]);
  });

  it('[issue 12.1] are those that were approved before the first release, which counts as no change of the resource', async () => {
    const gate = aGate(COMMIT, identifyChart('t', [cache('1.0.0')]));
    expect(await gate.ask(found(cache('1.1.0')), true, NEVER)).toContain('now resolve to cache 1.1.0');
    expect([await gate.ask(found(cache('1.0.0')), true, NEVER), gate.versions()]).toEqual(['allowed', ['1.0.0']]);
    expect(await gate.ask(found(cache('1.1.0')), true, NEVER)).toContain('no longer to cache 1.0.0');
    expect([await gate.ask(found(cache('1.1.0')), true), gate.versions()]).toEqual(['allowed', ['1.1.0']]);
  });
});
