import { describe, expect, it } from 'vitest';
import { KINDS, SECRET } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { parseApplication } from '@/server/application';
import { hashOf, toRevisionObject } from '@/server/application/revision';
import { extractValues } from '@/server/application/values/extract-values';
import { temporaryValuesKey } from '@/server/application/values/values-key';
import { toYaml } from '@/server/commands/manifest-text';
import { planIn } from '../application/plan-in';
import type { AskedRight } from '../auth/fake-cluster';
import { createCommandRig } from './rig';

const CANARY = 'canary-9a1e5f';
const job = (value: string, image = 'job:1') => ({
  name: 'job',
  type: 'worker',
  properties: { image, env: [{ name: 'TOKEN', sensitive: true, value }] },
});
const anApplication = (...components: readonly object[]): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'job', namespace: 'shop' },
  spec: { components },
});
const isSecretMade = ({ verb, resource, namespace }: AskedRight) => resource === 'secrets' && verb === 'create' && namespace === 'shop';

/** Applies a job with a value in it as somebody with these rights; answers what came of it and every write that was sent. */
async function applyAs(may: (right: AskedRight) => boolean, dryRun: boolean) {
  const rig = await createCommandRig({ objects: [], may });
  const applied = await rig.commands
    .applyApplication(rig.session, { manifest: toYaml(anApplication(job(CANARY))), seen: 'absent', dryRun })
    .then(() => 'done', String);
  return { applied, sent: rig.cluster.writes.map(({ dryRun: isTried, object }) => `${object?.kind}${isTried ? ' tried' : ''}`) };
}

describe('values that somebody writes into an application', () => {
  it.each([true, false])(
    '[issue 10.1] requires the right to create Secrets in its namespace, and are told apart from what else is refused (tried: %s)',
    async (dryRun) => {
      const { applied, sent } = await applyAs((right) => !isSecretMade(right), dryRun);
      expect(applied).toContain(
        'may not create Secrets in shop, and the values written into Application job in shop are stored in one; refer to an existing Secret, or have someone with that right write them',
      );
      expect(sent).toEqual([]);
    },
  );

  it('[issue 10.1] are written, before the application, by who may create Secrets there and reads none, whatever they may not elsewhere', async () => {
    const may = ({ verb, resource, namespace }: AskedRight) => resource !== 'secrets' || (verb === 'create' && namespace === 'shop');
    expect(await applyAs(may, false)).toMatchObject({ applied: 'done', sent: expect.arrayContaining(['Secret', 'Application']) });
    expect((await applyAs(may, true)).sent).toEqual(['Secret tried', 'Application tried', 'Deployment tried']);
  });

  it('[issue 10.1] that stand inline requires the right of whoever wrote them there, until a revision refers to them', async () => {
    const inCluster = (...components: readonly object[]): KubeObject => {
      const application = anApplication(...components);
      return { ...application, metadata: { ...application.metadata, uid: 'job-uid' } };
    };
    const written = inCluster(job(CANARY));
    const { object, secrets } = extractValues(written, await temporaryValuesKey());
    const kept = async (application: KubeObject, held: readonly KubeObject[]) =>
      (await planIn(held, application)).needed?.written
        .filter((one) => one.object.kind === SECRET.kind)
        .map((one) => [one.verbs, one.object.metadata.name]);
    expect(await kept(written, [])).toEqual([[['create'], secrets[0]?.metadata.name]]);

    const former = parseApplication(object);
    const revision = toRevisionObject(former, 'job-v1', hashOf(former));
    expect(await kept(inCluster(job(CANARY, 'job:2')), [revision])).toEqual([]);
    // Another value is kept in another Secret, and so is one beside it.
    const [other] = extractValues(inCluster(job('another')), await temporaryValuesKey()).secrets;
    expect(await kept(inCluster(job('another')), [revision])).toEqual([[['create'], other?.metadata.name]]);
  });
});
