import { describe, expect, it } from 'vitest';
import { GRANTED, grantCommand, grantObjects } from '@/lib/contract/grant';
import { readField, readList } from '@/lib/kube/fields';
import { readManifests } from '@/server/installation';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

async function rulesOf(file: string): Promise<readonly Rule[]> {
  const roles = (await readManifests(`deploy/rbac/${file}.yaml`)).filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role');
  return roles.flatMap((role) => readList(role, 'rules') as readonly Rule[]); // of ours
}

const WRITE = ['create', 'update', 'patch', 'delete'];
/** `deployments.apps`, sorted. */
const named = (rules: readonly Rule[]) =>
  rules
    .flatMap(({ apiGroups, resources }) =>
      apiGroups.flatMap((group) => resources.map((resource) => (group === '' ? resource : `${resource}.${group}`))),
    )
    .sort();
const writes = (rules: readonly Rule[]) => named(rules.filter(({ verbs }) => verbs.some((verb) => WRITE.includes(verb))));

describe('the roles of the server', () => {
  it('[issue 10.1] without an opt-in name every kind, and give no Secrets, no impersonation, no Lease outside of its own namespace', async () => {
    const rules = await rulesOf('server');
    for (const { apiGroups, resources, verbs } of rules) expect([...apiGroups, ...resources, ...verbs]).not.toContain('*');
    expect(named(rules)).not.toContain('secrets');
    expect(rules.flatMap(({ verbs }) => verbs)).not.toEqual(expect.arrayContaining(['impersonate', 'escalate', 'bind']));
    const [, ...clusterWide] = (await readManifests('deploy/rbac/server.yaml')).filter(({ kind }) => kind === 'ClusterRole');
    expect(named(clusterWide.flatMap((role) => readList(role, 'rules') as readonly Rule[]))).not.toContain('leases.coordination.k8s.io');
  });

  it('[issue 10.1] write without an opt-in only kinds of ours, Events and reviews, and what lies in its own namespace', async () => {
    const own =
      /\.(core\.oam\.dev|serving\.knative\.dev|slipway\.dev|helm\.integrations\.flux\.weave\.works|helm\.fluxcd\.io|flux\.weave\.works)$/;
    expect(writes(await rulesOf('server')).filter((resource) => !own.test(resource))).toEqual([
      'configmaps',
      'events',
      'leases.coordination.k8s.io',
      'subjectaccessreviews.authorization.k8s.io',
      'tokenreviews.authentication.k8s.io',
    ]);
    const inOwnNamespace = (await readManifests('deploy/rbac/server.yaml')).filter(({ kind }) => kind === 'Role');
    expect(inOwnNamespace.map(({ metadata }) => metadata.namespace)).toEqual(['slipway-system']);
    expect(writes(inOwnNamespace.flatMap((role) => readList(role, 'rules') as readonly Rule[]))).toEqual([
      'configmaps',
      'leases.coordination.k8s.io',
    ]);
  });

  it('[issue 10.1] give cluster-wide what a grant gives in a namespace, and beside it definitions, policies and the Gateway API', async () => {
    const beside = /customresourcedefinitions|admissionpolic|gateway\.networking\.k8s\.io/;
    const granted = GRANTED.map(({ group, resources }) => ({ apiGroups: [group], resources, verbs: WRITE }));
    const everywhere = await rulesOf('cluster-wide');
    expect(writes(everywhere).filter((resource) => !beside.test(resource))).toEqual(named(granted));
    expect(everywhere.filter(({ verbs }) => verbs.includes('impersonate'))).toMatchObject([
      { resources: ['serviceaccounts'], resourceNames: ['slipway-charts'] },
    ]);
  });

  it('[issue 10.1] impersonate the one user and group of sign-in mode local, by name', async () => {
    expect(await rulesOf('impersonation')).toEqual([
      { apiGroups: [''], resources: ['users'], resourceNames: ['operator'], verbs: ['impersonate'] },
      { apiGroups: [''], resources: ['groups'], resourceNames: ['slipway:operators'], verbs: ['impersonate'] },
    ]);
  });
});

describe('a grant', () => {
  it('[issue 10.1] gives the server the usual kinds and those that are named, and the one account of charts, all in that namespace', () => {
    const objects = grantObjects('shop', { kinds: ['certificates.cert-manager.io', 'issuers.cert-manager.io', 'secrets', 'endpoints'] });
    expect(new Set(objects.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['shop']));
    const rulesOf = (name: string) =>
      objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.name?.startsWith(name)).flatMap((role) => readList(role, 'rules'));
    expect(named(rulesOf('slipway:writer') as readonly Rule[])).toEqual(
      [
        ...named(GRANTED.map(({ group, resources }) => ({ apiGroups: [group], resources, verbs: [] }))),
        'certificates.cert-manager.io',
        'endpoints',
        'issuers.cert-manager.io',
      ].sort(),
    );
    expect(rulesOf('slipway:charts')).toEqual([
      { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: ['slipway-charts'], verbs: ['impersonate'] },
    ]);
  });

  it('[issue 12] of another kind or account takes nothing away of what was granted before', () => {
    const roles = (options: Parameters<typeof grantObjects>[1]) =>
      grantObjects('shop', options).map((object) => [`${object.kind} ${object.metadata.name}`, JSON.stringify(object)] as const);
    const both = new Map([
      ...roles({ kinds: ['certificates.cert-manager.io'], accounts: ['deployer'] }),
      ...roles({ kinds: ['widgets.example.com'], accounts: ['other'] }),
    ]);
    const once = new Map(
      roles({ kinds: ['certificates.cert-manager.io', 'widgets.example.com'], accounts: ['deployer', 'other', 'slipway-charts'] }),
    );
    expect(new Map([...both].sort())).toEqual(new Map([...once].sort()));
  });

  it('[issue 12] for an account lets the server act as it and gives it no rights', () => {
    const usual = new Set(grantObjects('shop').map((object) => JSON.stringify(object)));
    const more = grantObjects('shop', { accounts: ['deployer'] }).filter((object) => !usual.has(JSON.stringify(object)));
    expect(more.map(({ kind, metadata: { name } }) => `${kind} ${name}`)).toEqual([
      'ServiceAccount deployer',
      'Role slipway:charts:deployer',
      'RoleBinding slipway:charts:deployer',
    ]);
    expect(readList(more[1], 'rules')).toEqual([
      { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: ['deployer'], verbs: ['impersonate'] },
    ]);
    expect(readList(more[2], 'subjects')).toEqual(
      readList(
        grantObjects('shop').findLast(({ kind }) => kind === 'RoleBinding'),
        'subjects',
      ),
    );
  });

  it('[issue 12] for the account of the settings gives it what the usual one gets, which a later grant without it leaves', () => {
    const chartsAccount = 'helm-runner';
    const usual = new Set(grantObjects('shop', { kinds: ['widgets.example.com'] }).map((object) => JSON.stringify(object)));
    const more = grantObjects('shop', { kinds: ['widgets.example.com'], chartsAccount }).filter(
      (object) => !usual.has(JSON.stringify(object)),
    );
    const subject = [{ kind: 'ServiceAccount', name: chartsAccount, namespace: 'shop' }];
    const bindings = more.filter(({ kind, metadata }) => kind === 'RoleBinding' && metadata.name?.startsWith('slipway:writer'));
    expect(bindings.map((object) => [object.metadata.name, readField(object, 'roleRef', 'name'), readList(object, 'subjects')])).toEqual([
      ['slipway:writer:as:helm-runner', 'slipway:writer', subject],
      ['slipway:writer:widgets.example.com:as:helm-runner', 'slipway:writer:widgets.example.com', subject],
    ]);
    expect(more.filter((object) => !bindings.includes(object)).map(({ kind, metadata: { name } }) => `${kind} ${name}`)).toEqual([
      'ServiceAccount helm-runner',
      'Role slipway:charts:helm-runner',
      'RoleBinding slipway:charts:helm-runner',
    ]);
    const actor = (name: string) => ({ verb: 'impersonate', group: '', resource: 'serviceaccounts', name });
    expect(grantCommand('shop', [actor('deployer'), actor(chartsAccount)], chartsAccount)).toBe(
      'slipway grant shop --accounts deployer --charts-account helm-runner | kubectl apply -f -',
    );
  });

  it('[issue 10.1] is asked for by a command that names no more kinds and accounts than it must', () => {
    const actor = (name: string) => ({ verb: 'impersonate', group: '', resource: 'serviceaccounts', name });
    expect(grantCommand('shop', [actor('slipway-charts')])).toBe('slipway grant shop | kubectl apply -f -');
    expect(grantCommand('shop', [actor('other'), actor('deployer'), actor('slipway-charts'), actor('other')])).toBe(
      'slipway grant shop --accounts deployer,other | kubectl apply -f -',
    );
    expect(grantCommand('shop', [{ group: 'apps', resource: 'deployments' }])).toBe('slipway grant shop | kubectl apply -f -');
    const widgets = { group: 'example.com', resource: 'widgets' };
    expect(grantCommand('shop', [widgets, { group: '', resource: 'endpoints' }, widgets])).toBe(
      'slipway grant shop --kinds endpoints,widgets.example.com | kubectl apply -f -',
    );
  });
});
