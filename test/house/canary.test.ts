import { describe, expect, it } from 'vitest';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { House } from '../support/house';
import { startHouse } from '../support/house';

const CANARY = 'c4nary-9f81e2';
const ENCODED = Buffer.from(CANARY).toString('base64');

const aSecret = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData: { key: CANARY },
  data: { other: ENCODED },
});
const anApplication = (name: string, objects: readonly object[]): KubeObject => ({
  ...KINDS.application,
  metadata: { name },
  spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects } }] },
});

/** Where it was written, and what is kept of that with the same rights. */
const MAY_HOLD: readonly string[] = ['Secret', 'Application', 'ApplicationRevision'];

describe('the value of a Secret', () => {
  it('[design 13 S] is nowhere in the cluster but where it was written, an application in an application included, nor on record', async () => {
    await using house = await startHouse();
    await house.apply(anApplication('plain', [aSecret('first')]));
    await house.apply(anApplication('outer', [anApplication('inner', [aSecret('second')])]));
    const done = async (name: string) =>
      readString(await house.get(KINDS.application, name), 'status', 'latestRevision', 'name') === `${name}-v1`;
    await house.until('all is applied', async () => (await done('plain')) && (await done('outer')) && (await done('inner')));
    expect(await house.get({ apiVersion: 'v1', kind: 'Secret' }, 'second')).toMatchObject({ data: { key: ENCODED } });

    expect(await holdersIn(house)).toEqual([]);
    expect([...house.record.values()].filter(holdsCanary)).toEqual([]);
    for (const name of ['plain', 'outer', 'inner']) expect(holdsCanary((await house.get(KINDS.application, name))?.status)).toBe(false);
  });
});

async function holdersIn({ cluster }: House): Promise<readonly string[]> {
  const listed = (await cluster.discovery.all()).filter(({ kind, verbs }) => verbs.includes('list') && !MAY_HOLD.includes(kind));
  const holders: string[] = [];
  for (const { group, version, kind } of listed) {
    const pages = cluster.list({ apiVersion: group === '' ? version : `${group}/${version}`, kind });
    for await (const { items } of pages) holders.push(...items.filter(holdsCanary).map(({ metadata }) => `${kind} ${metadata.name}`));
  }
  return holders;
}

function holdsCanary(value: unknown): boolean {
  const text = JSON.stringify(value) ?? '';
  return text.includes(CANARY) || text.includes(ENCODED);
}
