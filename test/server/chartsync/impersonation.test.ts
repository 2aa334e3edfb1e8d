import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { TypeRef } from '@/lib/kube/object';
import { accountUser } from '@/server/chartsync/identities';
import { readDeclared, withLatestSpec } from '@/server/chartsync/model/declared';
import { noAccountReason } from '@/server/chartsync/model/impersonation';

const declared = (spec: object = {}, annotations: Readonly<Record<string, string>> = {}, type: TypeRef = KINDS.helmRelease) =>
  readDeclared({ ...type, metadata: { namespace: 'pay', name: 'web', uid: 'u', generation: 2, annotations }, spec });
const note = (account: string) => ({ 'slipway.dev/service-account': account });

describe('the account of a release', () => {
  it('[issue 12.1] is what the spec names, else the annotation, else that of the settings; always of the namespace of the resource', () => {
    const ofSpec = declared({ serviceAccountName: 'deployer', targetNamespace: 'shop' }, note('other'));
    expect(ofSpec.onBehalfOf).toEqual({ namespace: 'pay', account: 'deployer' });
    expect(declared({ serviceAccountName: '' }, note('other')).onBehalfOf.account).toBe('other');
    expect(declared({}, note('')).onBehalfOf.account).toBeUndefined();
    expect(declared({}, note('deployer'), KINDS.fluxHelmRelease).onBehalfOf).toEqual({ namespace: 'pay', account: 'deployer' });
  });

  it.each([
    'kube-system/admin',
    'kube-system:admin',
    'system:masters',
    'system:serviceaccount:pay:deployer',
    '../slipway',
    '.',
    'a b',
    '*',
    'Deployer',
    'a\n',
    'x'.repeat(254),
  ])('[issue 12.1] is none of %j, which no user is made of', (account) => {
    expect(noAccountReason({ namespace: 'pay', account })).toMatch(
      /^the resource names ".*" as its service account, which is not a valid name; .* namespace pay/,
    );
    expect(() => accountUser('pay', account)).toThrow('is not a valid name; use the bare name of a ServiceAccount');
  });

  it('[issue 12.1] is the one that the resource names when its turn comes, without a new generation', () => {
    const listed = declared({}, note('deployer'));
    expect(withLatestSpec(listed, declared())?.onBehalfOf.account).toBeUndefined();
    expect(withLatestSpec(listed, declared({}, note('other')))?.onBehalfOf.account).toBe('other');
    expect(withLatestSpec(listed, declared({}, note('deployer')))).toBe(listed);
  });
});
