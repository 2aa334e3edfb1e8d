import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { rightsNeeded } from '@/server/application/permission/rights-needed';
import { readRevision } from '@/server/application/revision';
import { servedRevisions } from '@/server/application/served/served-revisions';
import { parseApplication } from '@/server/application/spec/parse';
import type { TrackerEntry } from '@/server/dispatch';
import { readRolloutFacts } from '@/server/rollout';

const NS = 'shop';
const entry = (apiVersion: string, kind: string, name: string): TrackerEntry => ({
  ...{ apiVersion, kind, name, namespace: NS, cluster: 'local', component: 'web', deleted: false, skipGC: false },
});
const configMap = (name: string) => entry('v1', 'ConfigMap', name);
const listing = (revision: string, ...more: readonly TrackerEntry[]) => ({
  name: `${revision}-${NS}`,
  entries: [entry('apps/v1', 'Deployment', revision), ...more],
});
const revisions = (...names: readonly string[]) => names.map((revisionName) => ({ revisionName, percent: 100 }));
const facts = (status: object = {}) =>
  readRolloutFacts({
    ...KINDS.rolloutOrchestrator,
    metadata: { name: 'web', namespace: NS, uid: 'r', generation: 1 },
    spec: { initialRevisions: revisions('web-v1', 'web-v2'), targetRevisions: revisions('web-v3') },
    status,
  });
const beside = (trackers: Parameters<typeof servedRevisions>[1]['trackers'], rollout = facts(), applied: readonly string[] = []) =>
  servedRevisions(rollout, { trackers, applied: new Set(applied), to: 'web-v3' }).map(({ workload, ids }) => [
    workload,
    [...ids].map((id) => id.split('/').at(-1)),
  ]);

describe('revisions that a rollout serves beside the applied one', () => {
  it('[issue 10, 2] are all that it names, each with what it alone has', () => {
    const trackers = [listing('web-v1', configMap('one'), configMap('both')), listing('web-v2', configMap('both')), listing('web-v0')];
    expect(beside(trackers)).toEqual([
      ['web-v1', ['web-v1', 'one']],
      ['web-v2', ['web-v2']],
    ]);
    const [one] = servedRevisions(facts(), { trackers, applied: new Set(), to: 'web-v3' });
    expect(beside(trackers, facts(), [...(one?.ids ?? [])])).toEqual([
      ['web-v1', []],
      ['web-v2', ['web-v2']],
    ]);
  });

  it('[issue 10, 2] are none once it is complete, and are there again when something else is to be rolled out', () => {
    const complete = { ...facts(), completeSince: 1 as never };
    expect(beside([listing('web-v1')], complete)).toEqual([]);
    expect(servedRevisions(complete, { trackers: [listing('web-v1')], applied: new Set(), to: 'web-v4' })).toHaveLength(1);
  });

  it('[issue 10, 2] have a rejected one among them until everything is back', () => {
    const rejected = { ...facts(), rejected: 'web-v3', completeSince: 1 as never };
    const trackers = [listing('web-v1'), listing('web-v3')];
    expect(beside(trackers, { ...rejected, isUnderWay: true }).map(([name]) => name)).toEqual(['web-v1', 'web-v3']);
    expect(beside(trackers, { ...rejected, isUnderWay: false }).map(([name]) => name)).toEqual(['web-v1']);
  });
});

describe('what a policy changes for a revision that is served', () => {
  const readOnly = [{ name: 'p', type: 'read-only', properties: { rules: [{ selector: { resourceNames: ['web-v1'] } }] } }];
  const limits = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'limits' } };
  const asked = (policies: readonly object[]) =>
    parseApplication({
      ...KINDS.application,
      metadata: { name: 'web', namespace: NS, uid: 'a', generation: 2 },
      spec: { components: [{ name: 'set', type: 'k8s-objects', properties: { objects: [limits] } }], policies },
    });
  const made = (policies: readonly object[], spec: unknown = asked(policies).object.spec) =>
    readRevision({
      ...KINDS.applicationRevision,
      metadata: { name: 'web-v2', namespace: NS, labels: { 'app.oam.dev/app-revision-hash': 'h' } },
      spec: { application: { ...KINDS.application, metadata: {}, spec } },
    });
  const workload: KubeObject = { ...KINDS.deployment, metadata: { name: 'web-v1', namespace: NS }, spec: {} };
  const needed = (policies: readonly object[], newest = made(readOnly)) => {
    if (newest === undefined) throw new Error('it is no revision');
    const revision = { name: 'web-v2', number: 2, hash: 'h', stored: newest };
    const rendered = { manifests: [], workloads: {} };
    const served = [{ revision, rendered: { ...rendered, manifests: [workload] }, workload: 'web-v1' }];
    const seen = { revisions: [newest], trackers: [], inline: undefined } as unknown as Parameters<typeof rightsNeeded>[1];
    return rightsNeeded({ application: asked(policies), revision, rendered, served }, seen);
  };
  const collecting = { name: 'q', type: 'garbage-collect', properties: {} };

  it('[issue 10, 1] is asked of whoever changes it: what read-only covered is written from now on', () => {
    expect(needed(readOnly)).toBeUndefined();
    expect(needed([])?.written).toEqual([{ object: workload, verbs: ['create', 'patch'] }]);
    expect(needed([...readOnly, collecting])?.written).toEqual([]);
  });

  it('[issue 10, 1] is nothing where it is kept as before, be it applied once', () => {
    const once = { name: 'o', type: 'apply-once', properties: { enable: true } };
    expect(needed([collecting], made([]))?.written).toEqual([]);
    expect(needed([once, collecting], made([once]))?.written).toEqual([]);
    expect(needed([collecting], made([once]))?.written).toEqual([{ object: workload, verbs: ['create', 'patch'] }]);
  });

  it('[issue 10, 1] is all of it where the newest revision can be read no more', () => {
    expect(needed([collecting], made([], { components: 'lost' }))?.written).toEqual([{ object: workload, verbs: ['create', 'patch'] }]);
  });
});
