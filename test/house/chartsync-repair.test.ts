import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ReleaseVerb } from '@/lib/contract/release-decision';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aChart, ChartRepository } from '../support/chart-repository';
import { until } from '../support/until';
import type { ChartHouse } from './chartsync-house';
import { openChartHouse } from './chartsync-house';

const ADA = { user: 'ada', groups: ['system:masters'] };
const SECRET = { apiVersion: 'v1', kind: 'Secret' } as const;
/** A hook that never ends: Helm waits for it. */
const HOOK = `{{- if .Values.stuck }}
apiVersion: batch/v1
kind: Job
metadata: { name: ledger-hook, annotations: { "helm.sh/hook": "pre-upgrade,pre-rollback" } }
spec: { suspend: true, template: { spec: { restartPolicy: Never, containers: [ { name: a, image: "registry.example.com/a:1" } ] } } }
{{- end }}
`;

async function decide(house: ChartHouse, verb: ReleaseVerb, more: object = {}): Promise<string> {
  const uid = (await house.get(KINDS.fluxHelmRelease, 'ledger'))?.metadata.uid;
  const spec = { releaseRef: { kind: 'FluxHelmRelease', name: 'ledger', uid }, verb, actor: ADA, reason: 'it is stuck', ...more };
  const { metadata } = await house.cluster.create({
    ...KINDS.releaseDecision,
    metadata: { generateName: 'ledger-', namespace: 'pay' },
    spec,
  });
  const read = async () => (await house.get(KINDS.releaseDecision, metadata.name ?? ''))?.status;
  await until(`${verb} is answered`, async () => {
    const status = await read();
    return readString(status, 'phase') === 'Rejected' || readString(status, 'finishedAt') !== undefined;
  });
  const status = await read();
  return `${readString(status, 'phase')}: ${readString(status, 'message')}`;
}

const payloadOf = async (house: ChartHouse, revision: number) => {
  const secret = await house.get(SECRET, `sh.helm.release.v1.pay-ledger.v${revision}`);
  const packed = Buffer.from(Buffer.from(readString(secret, 'data', 'release') ?? '', 'base64').toString(), 'base64');
  return { label: secret?.metadata.labels?.status, text: gunzipSync(packed).toString('utf8'), secret };
};
const replicas = async (house: ChartHouse) => readNumber(await house.get(KINDS.deployment, 'pay-ledger'), 'spec', 'replicas');

/** A release at revision 1, and an upgrade of it that does not end. */
async function openStuck(): Promise<ChartHouse> {
  const repository = new ChartRepository();
  repository.commitChart('ledger', aChart({ 'templates/hook.yaml': HOOK }));
  const house = await openChartHouse(repository, { intervalMs: 3_600_000 });
  await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 2 } });
  await until('it is installed', () => house.tell('ledger')?.lastAct?.storedRevision === 1);
  await house.declare('ledger', { chartGitPath: 'ledger', values: { replicas: 3, stuck: true } });
  await until(
    'Helm waits for its hook',
    async () => (await house.get({ apiVersion: 'batch/v1', kind: 'Job' }, 'ledger-hook')) !== undefined,
  );
  return house;
}

describe('what Helm does and what it leaves', () => {
  it('[issue 12.1] ends when somebody cancels it, with what is left told, and the release can be gone back with', async () => {
    await using house = await openStuck();
    expect(house.tell('ledger')?.work).toMatchObject({ command: 'upgrade', until: null });
    expect(await decide(house, 'unlock', { seen: { stored: 2 } })).toBe('Rejected: Helm is running for this release; stop it first');
    expect(await decide(house, 'cancel')).toBe("Accepted: helm upgrade was stopped; Helm's storage says failed at revision 2");
    expect(await decide(house, 'cancel')).toBe('Rejected: Helm is not running for this release');
    await until('the look tells who ended it', () => house.tell('ledger')?.state === 'failed');
    expect(house.tell('ledger')?.says).toMatchObject({ why: expect.stringMatching(/^ada cancelled it; it is retried when/) });
    expect(house.tell('ledger')?.work).toMatchObject({ command: 'upgrade', until: expect.any(Number) as number });
    expect(await decide(house, 'rollback', { revision: 1, seen: { stored: 2 } })).toContain('Accepted: Helm rolled back to revision 1');
    expect(await replicas(house)).toBe(2);
  });

  it('[issue 12.3] is pending where it could not say so any more, and is freed by a person who may, in label and payload and in nothing else', async () => {
    await using house = await openStuck();
    expect(await decide(house, 'cancel')).toContain('failed at revision 2');
    // Back to the revision with the hook: the rollback waits for it, and for a rollback Helm writes nothing when it is asked to end.
    const back = decide(house, 'rollback', { revision: 2, seen: { stored: 2 } });
    await until('it has stored that', async () => (await house.get(SECRET, 'sh.helm.release.v1.pay-ledger.v3')) !== undefined);
    // The decision to go back is still being carried out, and keeps nobody from stopping it.
    expect(await decide(house, 'cancel')).toBe("Accepted: helm rollback was stopped; Helm's storage says pending-rollback at revision 3");
    expect(await back).toContain('ada cancelled it');
    await until('unlocking is offered', () => house.tell('ledger')?.acts.find(({ verb }) => verb === 'unlock')?.why === null);
    const before = await payloadOf(house, 3);

    const eve = { actor: { user: 'eve', groups: [] } };
    expect(await decide(house, 'unlock', { seen: { stored: 3 }, ...eve })).toBe(
      `Rejected: eve may not do this: Helm's storage requires the right "update" on secrets in namespace pay`,
    );
    expect(await decide(house, 'unlock', { seen: { stored: 1 } })).toBe(
      'Rejected: the newest revision is now 3, it was 1 when this was decided; review it again',
    );
    expect(await decide(house, 'unlock', { seen: { stored: 3 } })).toBe('Accepted: revision 3 is marked failed: Helm can release again');
    const after = await payloadOf(house, 3);
    expect([before.label, after.label]).toEqual(['pending-rollback', 'failed']);
    expect(after.text).not.toBe(before.text);
    expect(after.text).toBe(before.text.replace('"status":"pending-rollback"', '"status":"failed"'));
    expect(await decide(house, 'unlock', { seen: { stored: 3 } })).toBe("Rejected: Helm's storage says failed: nothing is locked");
    expect(await decide(house, 'rollback', { revision: 1, seen: { stored: 3 } })).toContain('Accepted: Helm rolled back to revision 1');
    expect(await replicas(house)).toBe(2);
  });
});
