import { describe, expect, it } from 'vitest';
import { until } from '@/test/support/until';
import { CONFIG_MAPS, namesOf, startRig, watchConfigMaps } from './rig';
import { isList, isWatch } from './stand-in';

describe('a kind that is read again', () => {
  it('[issue 9.3] is listed once more and watched from there, since the watch that is open goes on as it was opened', async () => {
    await using rig = await startRig();
    rig.standIn.put('a');
    const { store, told } = await watchConfigMaps(rig);
    await until('it watches', () => rig.standIn.received.filter(isWatch).length === 1);
    await rig.informers.relist(CONFIG_MAPS);
    expect(rig.standIn.received.filter(isList)).toHaveLength(2);
    await until('it watches again', () => rig.standIn.received.filter(isWatch).length === 2);
    rig.standIn.put('b');
    await until('b is known', () => told.includes('new b'));
    expect(namesOf(store)).toEqual(['a', 'b']);
  });

  it('[issue 9.3] of another group is left alone', async () => {
    await using rig = await startRig();
    await watchConfigMaps(rig);
    await rig.informers.relist({ apiVersion: 'example.dev/v1', kind: 'ConfigMap' });
    expect(rig.standIn.received.filter(isList)).toHaveLength(1);
  });
});
