import { describe, expect, it } from 'vitest';
import { KINDS, nameOfKind } from '@/lib/kube/kinds';
import { KubeApiError } from '@/server/kube';
import type { FakeRules } from '../auth/fake-cluster';
import { createCommandRig, SHOP } from './rig';

const aRelease = (releaseStatus: string) => ({
  ...KINDS.fluxHelmRelease,
  metadata: { namespace: 'shop', name: 'web', uid: 'fhr-uid' },
  spec: { chartGitPath: 'web', values: {} },
  status: { releaseStatus },
});
const request = { kind: 'fluxhelmrelease', uid: 'fhr-uid' } as const;

describe('uninstalling a release that a resource declares', () => {
  it('[issue 12.1] deletes the resource that was seen, as the person, after that is on record', async () => {
    const { commands, session, cluster, recorded } = await createCommandRig({ objects: [aRelease('DEPLOYED')] });
    expect(await commands.uninstallRelease(session, SHOP, { ...request, reason: 'moved away' })).toMatchObject({
      accepted: { kind: 'FluxHelmRelease', name: 'web' },
    });
    // Tried without effect first: what the cluster refuses is no entry.
    const person = { user: 'operator' };
    expect(cluster.writes).toMatchObject([
      { verb: 'delete', person, dryRun: true },
      { verb: 'delete', person, dryRun: false },
    ]);
    expect(recorded).toMatchObject([
      { action: 'release.delete', actor: 'operator', message: expect.stringContaining('moved away') as string },
    ]);
    expect(recorded[0]?.about).toMatchObject({ kind: 'FluxHelmRelease', namespace: 'shop', name: 'web' });
  });

  it.each([
    ['helmrelease', KINDS.helmRelease],
    ['helmrelease-v1beta1', KINDS.olderHelmRelease],
  ] as const)('[issue 12.1] deletes a %s as such, and no other that took its name between the trial and the act', async (kind, type) => {
    const declared = {
      ...type,
      metadata: { namespace: 'shop', name: 'web', uid: 'hr-uid' },
      spec: {},
      status: { releaseStatus: 'DEPLOYED' },
    };
    const own = { kind, uid: 'hr-uid' } as const;
    const first = await createCommandRig({ objects: [declared] });
    expect(await first.commands.uninstallRelease(first.session, SHOP, own)).toMatchObject({
      accepted: { kind: nameOfKind(type), uid: 'hr-uid' },
    });
    expect(first.cluster.writes.map(({ object }) => object.apiVersion)).toEqual([type.apiVersion, type.apiVersion]);

    const another = { ...declared, metadata: { ...declared.metadata, uid: 'later-uid' } };
    const replace: FakeRules['refuse'] = () => {
      const key = [...rig.cluster.objects].find(([, object]) => object.kind === 'HelmRelease')?.[0] ?? '';
      rig.cluster.objects.set(key, another);
      return undefined;
    };
    const rig = await createCommandRig({ objects: [declared], refuse: replace });
    await expect(rig.commands.uninstallRelease(rig.session, SHOP, own)).rejects.toThrow('the preconditions do not hold');
    expect([...rig.cluster.objects.values()]).toContain(another);
  });

  it('[issue 12.1] leaves no trace where the cluster refuses it, and a second entry where it does so after all', async () => {
    let refusals = 0;
    const refuse = () =>
      refusals++ === 0 ? new KubeApiError({ code: 403, reason: 'Forbidden', message: 'a policy forbids it' }) : undefined;
    const decisionsBlockedReason = await createCommandRig({ objects: [aRelease('DEPLOYED')], refuse });
    await expect(decisionsBlockedReason.commands.uninstallRelease(decisionsBlockedReason.session, SHOP, request)).rejects.toThrow(
      'a policy forbids it',
    );
    expect(decisionsBlockedReason.recorded).toEqual([]);
    let writes = 0;
    const late = () => (writes++ === 1 ? new KubeApiError({ code: 409, reason: 'Conflict', message: 'it is another by now' }) : undefined);
    const outrun = await createCommandRig({ objects: [aRelease('DEPLOYED')], refuse: late });
    await expect(outrun.commands.uninstallRelease(outrun.session, SHOP, request)).rejects.toThrow('it is another by now');
    expect(outrun.recorded.map(({ action }) => action)).toEqual(['release.delete', 'release.delete.failed']);
  });

  it('[issue 12.1] deletes nothing where another resource has the name, nobody would uninstall, nothing can be recorded, or its objects would stay', async () => {
    const rig = await createCommandRig({ objects: [aRelease('PENDING_UPGRADE')] });
    const { commands, session, cluster } = rig;
    await expect(commands.uninstallRelease(session, SHOP, request)).rejects.toThrow(
      'Release (shop-web) with status pending-upgrade cannot be deleted, and its objects would stay; unlock or roll it back first',
    );
    rig.standing = 'a helm-operator drives releases';
    await expect(commands.uninstallRelease(session, SHOP, request)).rejects.toThrow(
      'it would not be uninstalled: a helm-operator drives releases',
    );
    rig.standing = null;
    rig.stale = { since: '2026-11-20T09:00:00Z', reason: 'the watch is gone' };
    await expect(commands.uninstallRelease(session, SHOP, request)).rejects.toThrow('uninstalling needs fresh data');
    const deployed = await createCommandRig({ objects: [aRelease('DEPLOYED')] });
    const replaced = deployed.commands.uninstallRelease(deployed.session, SHOP, { ...request, uid: 'other' });
    await expect(replaced).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('was deleted and created again') as string,
    });
    deployed.unrecorded = new Error('the store is down');
    await expect(deployed.commands.uninstallRelease(deployed.session, SHOP, request)).rejects.toThrow('the store is down');
    expect([...cluster.writes, ...deployed.cluster.writes]).toEqual([]);
  });
});
