import { describe, expect, it } from 'vitest';
import type { ObjectActPlan } from '@/lib/contract/object-acts';
import { KINDS } from '@/lib/kube/kinds';
import { createApiRig } from '@/test/server/api/rig';
import type { FakeRules } from '@/test/server/auth/fake-cluster';

const URL = '/api/v1/objects/actions';
const deployment = (name: string) => ({
  ...KINDS.deployment,
  metadata: { namespace: 'shop', name, uid: `uid-${name}`, generation: 3, resourceVersion: '5' },
  spec: { replicas: 2, template: { metadata: { labels: { app: name } } } },
});
const target = (name: string) => ({ ...KINDS.deployment, ns: 'shop', name, uid: `uid-${name}` });
const objects = [deployment('one'), deployment('two')];

async function open(rules: FakeRules = {}) {
  const rig = await createApiRig({ objects, ...rules });
  const post = (body: object, headers?: Record<string, string>) => rig.send(URL, { body, ...(headers ? { headers } : {}) });
  const preview = async (body: object) => (await (await post({ ...body, dryRun: true })).json()) as ObjectActPlan;
  const written = () => rig.cluster.writes.filter(({ dryRun, object }) => !dryRun && object.kind === 'Deployment');
  return { rig, post, preview, written };
}

const ACTS = [
  ['delete', 'delete', {}],
  ['restart', 'patch', {}],
  ['scale', 'patch', { replicas: 5 }],
] as const;

describe('acts on objects', () => {
  it.each(ACTS)('[issue 14.1] %s is done as shown by whoever may, as the person and on record', async (verb, _right, more) => {
    const { rig, post, preview, written } = await open();
    const body = { verb, targets: [target('one')], ...more };
    const { plan, rows } = await preview(body);
    expect([rows.map(({ refused }) => refused), written()]).toEqual([[null], []]);
    const answer = await post({ ...body, plan });
    expect([answer.status, await answer.json()]).toEqual([202, { done: 1, failed: [] }]);
    expect(written().map(({ object, person }) => [object.metadata.name, person?.user])).toEqual([['one', 'operator']]);
    expect(rig.recorded.filter(({ action }) => action === `object.${verb}`)).toMatchObject([
      { actor: 'operator', about: { kind: 'Deployment', namespace: 'shop', name: 'one' } },
    ]);
  });

  it.each(ACTS)(
    '[design 8] %s is not done without the right to it, to none of them by a right to another one',
    async (verb, right, more) => {
      const { rig, post, preview, written } = await open({
        may: (asked) => asked.verb !== right || asked.resource !== 'deployments' || asked.name === 'two',
      });
      const alone = { verb, targets: [target('one')], ...more };
      expect((await preview(alone)).rows[0]?.refused).toMatch(new RegExp(`requires the right "${right}" on deployments`));
      expect((await post({ ...alone, plan: (await preview(alone)).plan })).status).toBe(403);
      await expect.poll(() => rig.recorded.map(({ action }) => action)).toContain(`object.${verb}.refused`);
      expect(written()).toEqual([]);
      const both = { verb, targets: [target('one'), target('two')], ...more };
      const { plan, rows, allowed } = await preview(both);
      expect([rows.map(({ name, refused }) => [name, refused === null]), allowed]).toEqual([
        [
          ['one', false],
          ['two', true],
        ],
        1,
      ]);
      expect(await (await post({ ...both, plan })).json()).toEqual({ done: 1, failed: [] });
      expect(written().map(({ object }) => object.metadata.name)).toEqual(['two']);
      expect(rig.recorded.filter(({ action }) => action === `object.${verb}`)).toHaveLength(1);
    },
  );

  it('[issue 14.1] are done to nothing but what was shown: not with the plan of another act, to another object, or after it changed', async () => {
    const { rig, post, preview, written } = await open();
    const body = { verb: 'delete', targets: [target('one')] };
    const { plan } = await preview(body);
    const refused = [
      await post({ verb: 'restart', targets: [target('one')], plan }),
      await post({ verb: 'delete', targets: [target('two')], plan }),
      await post({ verb: 'delete', targets: [target('one'), target('two')], plan }),
      await post({ ...body, targets: [{ ...target('one'), uid: 'another' }], plan }),
      await post({ ...body, plan: 'sha256:0' }),
      await post(body),
      await post({ ...body, plan, replicas: 3 }),
      await post({ ...body, plan, propagationPolicy: 'Orphan' }),
      await post({ ...body, targets: [], plan }),
      await post({ ...body, targets: Array.from({ length: 101 }, () => target('one')), plan }),
      await post({ ...body, plan }, { origin: 'https://elsewhere.example' }),
      await post({ ...body, plan }, { cookie: '' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([409, 409, 409, 403, 409, 400, 400, 400, 400, 400, 403, 401]);
    for (const [key, object] of rig.cluster.objects) {
      if (object.metadata.name === 'one') rig.cluster.objects.set(key, { ...object, metadata: { ...object.metadata, generation: 4 } });
    }
    expect((await post({ ...body, plan })).status).toBe(409);
    expect(written()).toEqual([]);
    // The same request, with what it does now, is done: nothing above was refused for being sent from here.
    expect((await post({ ...body, plan: (await preview(body)).plan })).status).toBe(202);
    expect(written()).toHaveLength(1);
  });

  it('[design 8] tell nothing of an object that may not be read, by which act whatsoever', async () => {
    const { preview } = await open({ may: ({ verb }) => verb !== 'get' });
    for (const [verb, , more] of ACTS) {
      const { rows } = await preview({ verb, targets: [target('one')], ...more });
      expect(rows).toMatchObject([{ refused: expect.stringContaining('requires the right "get" on deployments'), consequences: [] }]);
    }
  });
});
