import { describe, expect, it } from 'vitest';
import type { Fields } from '@/lib/kube/fields';
import { KINDS, PLAN } from '@/lib/kube/kinds';
import { MASK } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import type { CommandDeps } from '@/server/commands/command-deps';
import { writePlanned } from '@/server/commands/releases/edit-release';
import { withKeptReleaseValues } from '@/server/commands/releases/kept-release-values';
import { readPlanFor } from '@/server/kube';
import { ANN } from './objects/rig';

const secret = (name: string, password = 'a-password') => ({ kind: 'Secret', metadata: { name }, stringData: { password } });
const NOTHING = /^the values would keep \S+ as it is stored, but no hidden value is there; write the value$/;
const INSIDE = 'the values contain a mask inside other text; write the value itself';

describe('[design 8] masks among the values of a release', () => {
  const held = {
    extra: [secret('a'), secret('b', 'another-password')],
    plain: 'text',
    env: { name: 'TOKEN', sensitive: true, value: 'hidden' },
  };
  const shown = { ...held, extra: [secret('a', MASK), secret('b', MASK)], env: { ...held.env, value: MASK } };

  it('keep what stands where they were shown, beside what is written anew', () => {
    expect(withKeptReleaseValues(shown, held)).toEqual(held);
    expect(withKeptReleaseValues({ ...shown, plain: 'other', more: [{ a: 1 }, null] }, held)).toEqual({
      ...held,
      plain: 'other',
      more: [{ a: 1 }, null],
    });
  });

  it.each<readonly [string, Fields, RegExp | string]>([
    ['in a list that was not shown', { ...shown, other: [MASK] }, NOTHING],
    ['in a list in place of a map', { ...shown, env: [MASK] }, NOTHING],
    ['in a map that was not shown', { ...shown, other: { value: MASK } }, NOTHING],
    ['in place of a text that was shown', { ...shown, plain: MASK }, NOTHING],
    ['inside a text that was shown', { ...shown, plain: `text ${MASK}` }, INSIDE],
    ['inside another text than the hidden one', { ...shown, env: { ...shown.env, value: `x${MASK}` } }, INSIDE],
    ['in a list of which the last member was taken away', { ...shown, extra: [secret('a', MASK)] }, NOTHING],
    ['in a list that has one more', { ...shown, extra: [...shown.extra, secret('c', 'new')] }, NOTHING],
    ['in a list of which one member has another name', { ...shown, extra: [secret('a', MASK), secret('c', 'new')] }, NOTHING],
    ['in a list whose members changed places', { ...shown, extra: [secret('b', MASK), secret('a', MASK)] }, NOTHING],
  ])('keep nothing %s', (_where, written, why) => {
    expect(() => withKeptReleaseValues(written, held)).toThrow(why);
  });

  it('keep nothing that is a mask itself where it is stored', () => {
    const stored = { env: { name: 'TOKEN', sensitive: true, value: MASK } };
    expect(() => withKeptReleaseValues(stored, stored)).toThrow(NOTHING);
  });
});

it('[issue 12.4] the plan that was seen is bound to the spec as the cluster keeps it, and on record with the object', async () => {
  const sent: KubeObject[] = [];
  const recorded: object[] = [];
  const update = async (object: KubeObject) => {
    sent.push(object);
    return { ...object, spec: { ...(object.spec as object), interval: '10m' } }; // its definition fills that in
  };
  const deps = {
    ids: { uuid: () => 'act' },
    clock: { now: () => 0 },
    requireRecord: async () => undefined,
    record: async (entry: object) => void recorded.push(entry),
    cluster: { as: () => ({ update }) },
  } as unknown as CommandDeps;
  const object: KubeObject = { ...KINDS.helmRelease, metadata: { name: 'web', namespace: 'shop' }, spec: { values: {} } };
  const digest = `sha256:${'a'.repeat(64)}`;
  await writePlanned(deps, ANN, { object, plan: digest, action: 'release.edit', message: 'changes it' });
  const seenOn = (spec: unknown) => readPlanFor(spec, sent[1]?.metadata.annotations?.[PLAN.seen])?.digest;
  expect([seenOn({ values: {}, interval: '10m' }), seenOn({ values: {} })]).toEqual([digest, undefined]);
  expect(recorded).toMatchObject([{ about: { ...KINDS.helmRelease, namespace: 'shop', name: 'web' }, message: 'changes it' }]);
});
