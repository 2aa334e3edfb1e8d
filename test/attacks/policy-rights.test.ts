import { describe, expect, it, vi } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { applied, configMap, peopleOf, refusal, startPermissionHouse } from '../house/permission-start';
import { definePolicyRights } from './define-policy-rights';

definePolicyRights('embedded');

const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' }, stringData: { a: '1' } };

describe('an application that is refused', () => {
  it('[issue 10, 1] costs nothing: no watch, list, get or tracker of the kind that it names, however long it waits', async () => {
    await using house = await startPermissionHouse('embedded');
    const seen = vi.spyOn(house.faults, 'before');
    const { ann, root } = peopleOf(house);
    const create = (user: typeof ann, name: string) => {
      const spec = { components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [configMap('plain', {}), secret] } }] };
      return house.cluster.as(user).create({ ...KINDS.application, metadata: { name, namespace: house.ns }, spec } as KubeObject);
    };
    const ofSecrets = () => seen.mock.calls.flatMap(([{ verb, kind }]) => (kind === 'Secret' ? verb : []));
    await create(ann, 'web');
    expect(await refusal(house)).toContain('may not create Secret key');
    await house.advance(60_000);
    expect(ofSecrets()).toEqual([]);
    expect(await house.list(KINDS.resourceTracker)).toEqual([]);
    await create(root, 'allowed');
    await applied(house, 'allowed-v1', 'allowed');
    expect(ofSecrets()).toContain('watch');
  });
});
