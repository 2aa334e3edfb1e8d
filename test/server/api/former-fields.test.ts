import { describe, expect, it } from 'vitest';
import type { DriftAnswer } from '@/lib/contract/drift-rows';
import type { ReleaseHistory } from '@/lib/contract/release-rows';
import { releaseDetail } from '../../support/fixture/releases';
import { backFrom } from '../../support/fixture/times';
import { createApiRig } from './rig';

const drift: DriftAnswer = {
  state: 'compared',
  at: '2027-01-15T08:00:00.000Z',
  revision: 'web-v1',
  isApplied: true,
  exists: true,
  terminating: null,
  hasManagedFields: true,
  fields: [{ path: 'a', kind: 'changed', kept: null, desired: '2', live: '5', hidden: null, setBy: null, desiredLine: 1, liveLine: 3 }],
  desired: 'a: 2\n',
  live: 'a: 5\n',
  owners: [],
  lineOwners: [],
  repair: { when: 'soon', why: 'It is reverted.' },
  replacement: null,
};

describe('a field that was renamed', () => {
  it('[issue 11.2] of an object that drifted is told by its older name as well', async () => {
    const { send, commands } = await createApiRig();
    Object.assign(commands, { readDrift: async () => drift });
    const told = await send('/api/v1/namespaces/shop/applications/web/drift?apiVersion=v1&kind=ConfigMap&ns=shop&name=web');
    const former = { wanted: '2', found: '5', wantedLine: 1, foundLine: 3 };
    expect(await told.json()).toEqual({
      ...drift,
      fields: [{ ...drift.fields[0], ...former }],
      notesManagers: true,
      wanted: 'a: 2\n',
      found: 'a: 5\n',
    });
  });

  it('[issue 11.2] of the stored revisions of a release is told by its older name as well', async () => {
    const detail = { ...releaseDetail(backFrom(Date.UTC(2026, 0, 1))), release: { namespace: 'shop', name: 'web' } };
    const { send } = await createApiRig({}, { 'release/shop/helmrelease/web': [detail] });
    const { revisions } = (await (await send('/api/v1/namespaces/shop/releases/web/history')).json()) as ReleaseHistory;
    expect(revisions).toMatchObject([{ revision: 1, cause: null, behind: null }]);
  });
});
