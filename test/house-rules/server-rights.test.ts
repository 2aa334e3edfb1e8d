import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { grantObjects } from '@/lib/contract/grant';
import { grantedBy, readGranted } from '../support/server-rights/granted';
import { readUses, TEST_AGENT } from '../support/server-rights/uses';

const SERVER = { username: 'slipway', groups: ['slipway:servers', 'system:authenticated'] };
const OPERATOR = { username: 'operator', groups: ['slipway:operators', 'system:authenticated'] };
const CHARTS = { username: 'system:serviceaccount:shop:slipway-charts', groups: ['system:serviceaccounts', 'system:serviceaccounts:shop'] };
const ALLOWED = { 'authorization.k8s.io/decision': 'allow' };
const on = (resource: string, more: object = {}) => ({ apiGroup: 'apps', resource, namespace: 'shop', name: 'web', ...more });
const asked = (verb: string, objectRef: object, more: object = {}) => ({
  verb,
  user: SERVER,
  objectRef,
  annotations: ALLOWED,
  responseStatus: { code: 200 },
  ...more,
});

const ROLE = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: "slipway:some" }
rules:
  - apiGroups: [apps]
    resources: [deployments, deployments/scale]
    verbs: [get, patch, create]
  # What it acts as.
  # unused: impersonate users: nobody signs in there
  - apiGroups: [""]
    resources: [users, groups]
    resourceNames: [operator, "slipway:operators"]
    verbs: [impersonate]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: "slipway:own", namespace: slipway-system }
rules:
  - apiGroups: [apps]
    resources: [daemonsets]
    verbs: [get]
`;

describe('what the roles of the server give and nothing uses', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slipway-audit-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** What is missing after these requests, each file of them being of one control plane. */
  async function missingAfter(...files: readonly (readonly object[])[]) {
    for (const [at, lines] of files.entries())
      await writeFile(path.join(folder, `${at}.log`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const uses = await readUses(folder);
    return grantedBy(ROLE).flatMap((one) =>
      uses.missing(one).map((verb) => `${verb} ${one.resource}${one.name === undefined ? '' : ` ${one.name}`}`),
    );
  }

  it('[issue 10.1] is each verb on each resource, subresources by themselves, those aside that a line above the rule explains', async () => {
    expect(await missingAfter([])).toEqual([
      ...['get deployments', 'patch deployments', 'create deployments'],
      ...['get deployments/scale', 'patch deployments/scale', 'create deployments/scale'],
      ...['impersonate groups operator', 'impersonate groups slipway:operators', 'get daemonsets'],
    ]);
    const rest = [
      'patch deployments/scale',
      'create deployments/scale',
      'impersonate groups operator',
      'impersonate groups slipway:operators',
    ];
    const files = [
      [asked('get', on('deployments')), asked('get', on('deployments', { subresource: 'scale' }))],
      [asked('patch', on('deployments'))],
    ];
    expect(await missingAfter(...files)).toEqual(['create deployments', ...rest, 'get daemonsets']);
    expect(await missingAfter([...files.flat(), asked('patch', on('deployments'), { responseStatus: { code: 201 } })])).toEqual([
      ...rest,
      'get daemonsets',
    ]);
  });

  it('[issue 10.1] of a Role is what was not used in its own namespace', async () => {
    expect(await missingAfter([asked('get', on('daemonsets'))])).toContain('get daemonsets');
    expect(await missingAfter([asked('get', on('daemonsets', { namespace: 'slipway-system' }))])).not.toContain('get daemonsets');
  });

  it('[issue 10.1] is also what was refused, what somebody else was let do, and what a test tried with the credentials', async () => {
    const get = on('deployments');
    const forbidden = { annotations: { 'authorization.k8s.io/decision': 'forbid' } };
    expect(await missingAfter([asked('get', get, forbidden)])).toContain('get deployments');
    expect(await missingAfter([asked('get', get, { userAgent: `slipway/1 (${TEST_AGENT})` })])).toContain('get deployments');
    const acted = await missingAfter([asked('get', get, { impersonatedUser: OPERATOR })]);
    expect(acted).toContain('get deployments');
    expect(acted).not.toContain('impersonate groups slipway:operators');
    // The account of charts has the Role of the server in its namespace.
    expect(await missingAfter([asked('get', get, { impersonatedUser: CHARTS })])).not.toContain('get deployments');
  });

  it('[issue 10.1] of a right to act as anybody is nothing once somebody was acted as', async () => {
    await writeFile(path.join(folder, 'acted.log'), `${JSON.stringify(asked('get', on('deployments'), { impersonatedUser: OPERATOR }))}\n`);
    const uses = await readUses(folder);
    const anybody = grantedBy(ROLE.replace('    resourceNames: [operator, "slipway:operators"]\n', '')).filter(({ verbs }) =>
      verbs.includes('impersonate'),
    );
    expect(anybody.map((one) => uses.missing({ ...one, unused: [] }))).toEqual([[], []]);
  });

  it('[issue 10.1] of constrained impersonation is told by what was done as somebody', async () => {
    const constrained = { impersonatedUser: OPERATOR, authenticationMetadata: { impersonationConstraint: 'impersonate:user-info' } };
    await writeFile(path.join(folder, 'acted.log'), `${JSON.stringify(asked('get', on('deployments'), constrained))}\n`);
    const uses = await readUses(folder);
    const verbs = ['impersonate-on:user-info:get', 'impersonate-on:user-info:create'];
    const one = { role: 'some', namespace: undefined, group: 'apps', resource: 'deployments', name: undefined, verbs, unused: [] };
    expect(uses.missing(one)).toEqual(['impersonate-on:user-info:create']);
    expect(uses.missing({ ...one, group: 'authentication.k8s.io', resource: 'users', verbs: ['impersonate:user-info'] })).toEqual([]);
  });

  it('[issue 10.1] is told by what was written whole, when a control plane ended in the middle of a line', async () => {
    await writeFile(path.join(folder, 'ended.log'), `${JSON.stringify(asked('get', on('deployments')))}\n{"verb":"pat`);
    expect(await missingAfter([])).not.toContain('get deployments');
  });

  it('[issue 10.1] is excused by lines that name what their rule gives, and say why', () => {
    const withLine = (line: string) => () => grantedBy(ROLE.replace('# What it acts as.', line));
    expect(withLine('# unused: delete users: none goes')).toThrow('names what its rule does not give');
    expect(withLine('# unused: impersonate users')).toThrow('is how a right that stays is told');
    expect(withLine('# unused: impersonate users, groups: kept')().find(({ name }) => name === 'slipway:operators')?.unused).toContain(
      'impersonate',
    );
  });

  it('[issue 10.1] is looked for in all that is deployed, with which what a grant prints is compared', async () => {
    const granted = await readGranted();
    expect([...new Set(granted.map(({ role }) => role))]).toEqual([
      ...['slipway:reads', 'slipway:server', 'slipway:cluster-wide', 'slipway:local-operator'],
      ...['slipway:oidc-constrained', 'slipway:oidc'],
    ]);
    const text = (of: {
      readonly group: string;
      readonly resource: string;
      readonly name: string | undefined;
      readonly verbs: readonly string[];
    }) => of.verbs.map((verb) => `${verb} ${of.resource}.${of.group} ${of.name ?? ''}`);
    const everywhere = granted.filter(({ role }) => role === 'slipway:cluster-wide').flatMap(text);
    const printed = grantObjects('shop').flatMap((object) =>
      object.kind === 'Role' ? grantedBy(JSON.stringify(object)).flatMap(text) : [],
    );
    expect(printed.length).toBeGreaterThan(0);
    expect(printed.filter((right) => !everywhere.includes(right))).toEqual([]);
  });
});
