import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import type { RevisionContent } from '@/server/chartsync/describe/compare-revisions';
import { describeStored } from '@/server/chartsync/describe/reader/stored-content';
import { ManualClock } from '../../support/manual-clock';

const CANARY = 'canary-77be-of-a-secret';
const config = (name: string, text: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text } });
const secret: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'key' },
  data: { password: Buffer.from(CANARY).toString('base64') },
};

function describeIt(content: Partial<RevisionContent>, { inline = {}, hides = false } = {}) {
  const addressOf = async ({ apiVersion, kind, metadata }: KubeObject) => ({
    apiVersion,
    kind,
    namespace: 'pay',
    name: metadata.name ?? '',
  });
  return describeStored({ values: {}, objects: [], notes: '', ...content }, { inline, hides, clock: new ManualClock(), addressOf });
}

describe('what a stored revision holds', () => {
  it('[issue 12.4] is its values as YAML, its objects in the order of the manifest, and its notes', async () => {
    const told = await describeIt({ values: { replicas: 2 }, objects: [config('web', 'b'), config('api', 'a')], notes: 'Enjoy.' });
    expect(told).toMatchObject({ values: 'replicas: 2\n', hidesValues: false, notes: 'Enjoy.' });
    expect(told.objects.map(({ ns, name, text }) => [ns, name, text?.split('\n').at(-2)])).toEqual([
      ['pay', 'web', '  text: b'],
      ['pay', 'api', '  text: a'],
    ]);
    expect((await describeIt({})).values).toBe('');
  });

  it('[design 8] tells no value of a Secret, and where values are hidden only those that stand in the resource', async () => {
    const content = {
      values: { token: CANARY, replicas: 3 },
      objects: [config('web', `https://a:${CANARY}@x`), secret],
      notes: `call with ${CANARY}`,
    };
    const told = await describeIt(content, { inline: { replicas: 3 }, hides: true });
    expect(told.values).toBe('token: ••••••••\nreplicas: 3\n');
    expect(told.notes).toBe('call with [masked]');
    for (const text of [CANARY, Buffer.from(CANARY).toString('base64').slice(0, 12)]) expect(JSON.stringify(told)).not.toContain(text);
    const open = await describeIt(content);
    expect(open.values).toContain(CANARY);
    expect(JSON.stringify(open.objects.filter(({ kind }) => kind === 'Secret'))).not.toContain(
      Buffer.from(CANARY).toString('base64').slice(0, 12),
    );
  });

  it('[issue 12.4] names the objects that come after two million characters of a manifest, and tells them no more', async () => {
    const long = 'x'.repeat(1024 * 1024);
    const told = await describeIt({ objects: ['a', 'b', 'c'].map((name) => config(name, long)) });
    expect(told.objects.map(({ name, text, why }) => [name, text === null, why])).toEqual([
      ['a', false, null],
      ['b', true, 'long'],
      ['c', true, 'long'],
    ]);
  });
});
