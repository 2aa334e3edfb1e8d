import { describe, expect, it } from 'vitest';
import type { StatusPolicy } from '@/lib/contract/health';
import { STATUS_POLICIES } from '@/lib/contract/health';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { readConfig } from '@/server/platform';
import { compute } from '@/server/status/compute';
import { loadStatusRules } from '@/server/status/custom/status-rules';

const NOW = toInstant(Date.UTC(2031, 4, 4));

function aClaim(
  change: { readonly annotations?: Readonly<Record<string, string>>; readonly storageClassName?: string; readonly phase?: string } = {},
): KubeObject {
  const { annotations = {}, storageClassName = 'fast', phase = 'Pending' } = change;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', annotations },
    spec: { storageClassName },
    status: { phase },
  };
}

describe('named policies', () => {
  it.each<readonly [string, StatusPolicy, KubeObject, string]>([
    [
      'a claim that nobody uses yet',
      'await-first-consumer',
      aClaim(),
      'Current: PVC waits for its first consumer (policy await-first-consumer)',
    ],
  ])('[status 11.13] %s is judged otherwise where its policy is on, and only there', async (_title, policy, object, told) => {
    const on = compute(object, NOW, await loadStatusRules(undefined, [policy]));
    expect(`${on.status}: ${on.message}`).toBe(told);
    const others = STATUS_POLICIES.filter((name) => name !== policy);
    expect(compute(object, NOW, await loadStatusRules(undefined, others))).toEqual({ ...compute(object, NOW), rule: 'kstatus' });
    expect(compute(object, NOW).message).not.toContain('policy');
  });

  it.each([
    ['a bound claim', aClaim({ phase: 'Bound' })],
    ['a lost claim', aClaim({ phase: 'Lost' })],
    ['a claim whose node was chosen', aClaim({ annotations: { 'volume.kubernetes.io/selected-node': 'n1' } })],
    ['a claim that is being provisioned', aClaim({ annotations: { 'volume.kubernetes.io/storage-provisioner': 'csi.example.com' } })],
    ['a claim without a class', aClaim({ storageClassName: '' })],
  ])('[status 11.13] %s is judged as ever with all policies on', async (_title, object) => {
    expect(compute(object, NOW, await loadStatusRules(undefined, STATUS_POLICIES))).toEqual(compute(object, NOW, await loadStatusRules()));
  });

  it('[status 11.13] policies are off unless configured, and a wrong name is one sentence', () => {
    expect(readConfig([], {}).statusPolicies).toEqual([]);
    expect(readConfig(['--status-policies', ' await-first-consumer'], {}).statusPolicies).toEqual(['await-first-consumer']);
    const sentence = '--status-policies must be a list of await-first-consumer, found "image-pulls"';
    expect(() => readConfig(['--status-policies', 'image-pulls'], {})).toThrow(sentence);
  });

  it('[status 11.13] policies of the last release that are rules by now are taken, and said to have no effect', () => {
    const { statusPolicies, notes } = readConfig([], {
      SLIPWAY_STATUS_POLICIES: 'load-balancer-address,await-first-consumer,image-pull-failure',
    });
    expect(statusPolicies).toEqual(['await-first-consumer']);
    const told = (name: string) =>
      `the status policy ${name} no longer has any effect: a built-in rule covers it; remove it from SLIPWAY_STATUS_POLICIES, since the next release refuses it`;
    expect(notes).toEqual([told('load-balancer-address'), told('image-pull-failure')]);
    expect(readConfig([], {}).notes).toEqual([]);
  });
});
