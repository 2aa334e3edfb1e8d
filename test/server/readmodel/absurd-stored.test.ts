import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { ROUTES } from '@/server/api/routes';
import { decide as decideApplication } from '@/server/application/decide/decide';
import { addIndexes, observe as observeApplication } from '@/server/application/observe/observe';
import { createRandom } from '@/server/platform';
import { decide as decideRollout } from '@/server/rollout/decide';
import { indexStores, observe as observeRollout } from '@/server/rollout/observe';
import { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import { liveStatusOf } from '../../support/live-status';
import { createApiRig } from '../api/rig';
import { makeAbsurd, twoStorefronts } from './absurd';
import type { Rows } from './rig';
import { openRows } from './rig';

const VARIANTS = 60;
const ROUTED = 12;

function openStores(objects: readonly KubeObject[]) {
  const server = new FakeApiServer();
  for (const object of objects) server.seed(object);
  const informers = new FakeInformers(server);
  const of = (type: (typeof KINDS)[keyof typeof KINDS]) => informers.open(type).store;
  const shared = { decisions: of(KINDS.stageDecision), deployments: of(KINDS.deployment), rollouts: of(KINDS.rolloutOrchestrator) };
  const applications = {
    ...shared,
    applications: of(KINDS.application),
    revisions: of(KINDS.applicationRevision),
    trackers: of(KINDS.resourceTracker),
  };
  const rollouts = {
    ...shared,
    autoscalers: of(KINDS.stagePodAutoscaler),
    horizontalAutoscalers: of(KINDS.horizontalPodAutoscaler),
    pods: of(KINDS.pod),
  };
  addIndexes(applications);
  indexStores(rollouts);
  return { applications, rollouts, informers };
}

function objectsOf(house: House): readonly KubeObject[] {
  const types = Object.values(KINDS).filter(({ kind }) => kind !== 'Namespace');
  return types.flatMap((type) => house.informers.open(type).store.list());
}

/** What both engines decide about a storefront, the answer and the same answer again. */
function decideBoth(objects: readonly KubeObject[], { ns, clock }: House): readonly unknown[] {
  const { applications, rollouts, informers } = openStores(objects);
  const now = clock.now();
  const status = liveStatusOf(informers, clock);
  return ['web', 'bad'].flatMap((name) => {
    const application = observeApplication(applications, `${ns}/${name}`);
    const rollout = observeRollout({ ...rollouts, status }, `${ns}/${name}`, now);
    return [application && decideApplication(application, now), rollout && decideRollout(rollout, now)];
  });
}

/** What each GET route that takes an object is asked, about the storefront that is mangled: by its name and a query, or by the name of what it made. */
function pathsOf(ns: string, objects: readonly KubeObject[]): readonly string[] {
  const named = objects.filter(({ metadata }) => metadata.name?.startsWith('bad'));
  const versionOf = ({ apiVersion }: KubeObject) => apiVersion.split('/').at(-1) ?? '';
  const kindOf = ({ apiVersion, kind }: KubeObject) =>
    `/api/v1/kinds/${apiVersion.includes('/') ? apiVersion.split('/')[0] : 'core'}/${kind}`;
  const at = (object: KubeObject) =>
    `version=${versionOf(object)}${object.metadata.namespace ? `&ns=${ns}` : ''}&name=${object.metadata.name}`;
  const queries: Readonly<Record<string, readonly string[]>> = {
    '/api/v1/objects': named.map(
      ({ apiVersion, kind, metadata }) =>
        `?apiVersion=${apiVersion}&kind=${kind}${metadata.namespace ? `&ns=${ns}` : ''}&name=${metadata.name}`,
    ),
    ...Object.fromEntries(
      ['object', 'events'].map((view) => [
        `/api/v1/kinds/:group/:named/${view}`,
        named.map((object) => `${kindOf(object)}/${view}?${at(object)}`),
      ]),
    ),
    // Tables are printed by the API server, and this rig has none.
    // No pod is called as its storefront is.
    '/api/v1/namespaces/:ns/pods/:name/log': named.filter(({ kind }) => kind === 'Pod').map(({ metadata }) => metadata.name ?? ''),
    '/api/v1/namespaces/:ns/applications/:name/drift': [`?apiVersion=apps/v1&kind=Deployment&ns=${ns}&name=bad`],
    '/api/v1/namespaces/:ns/applications/:name/compare': ['?from=bad-v1&to=bad-v2', '?from=bad-v2&to=bad-v1'],
  };
  const byKind = '/api/v1/kinds/:group/:named/';
  // No Helm release is among these objects, nor any of Flux, which flux.test.ts mangles.
  return ROUTES.filter(
    ({ method, path }) => method === 'get' && !/\/(releases|flux)\//.test(path) && (/:name(\/|$)/.test(path) || path in queries),
  ).flatMap(({ path }) => {
    if (path.startsWith(byKind)) return queries[path] ?? [];
    const at = path.replace(':ns', ns);
    return (queries[path] ?? ['']).map((query) =>
      query === '' || query.startsWith('?') ? `${at.replace(':name', 'bad')}${query}` : at.replace(':name', query),
    );
  });
}

let house: House;
let rows: Rows;
let objects: readonly KubeObject[];
beforeAll(async () => {
  house = await startHouse();
  rows = await openRows(house);
  await twoStorefronts(house, rows);
  objects = objectsOf(house);
}, 120_000);
afterAll(async () => {
  await rows[Symbol.asyncDispose]();
  await house[Symbol.asyncDispose]();
});

function mangled(variant: number): readonly KubeObject[] {
  const random = createRandom(variant);
  return objects.map((object) => (random() < 0.5 ? makeAbsurd(object, random) : object));
}

describe('objects with absurd contents', () => {
  it('[issue 9.3] always come to a decision of each engine, and to the same one when asked again', () => {
    expect(decideBoth(objects, house).filter((one) => one !== null && one !== undefined)).toHaveLength(4);
    for (let variant = 0; variant < VARIANTS; variant++) {
      const absurd = mangled(variant);
      let first: readonly unknown[] = [];
      expect(() => {
        first = decideBoth(absurd, house);
      }, `variant ${variant}`).not.toThrow();
      expect(decideBoth(absurd, house), `variant ${variant}`).toEqual(first);
    }
  });

  it('[issue 9.3] get an answer or a refusal that says why from every route that reads them, never an internal error', async () => {
    const paths = pathsOf(house.ns, objects);
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.some((path) => path.endsWith('/log'))).toBe(true);
    const found: string[] = [];
    const sound = await createApiRig({ objects: [...objects] });
    for (const path of paths) {
      await sound.clock.advance(1000); // so many requests a second are one person's
      // Nothing has moved, and no drift is wanted of anything: what is refused even so is refused before anything is read.
      if (!/outdated-plan|\/drift/.test(path)) expect((await sound.send(path)).status, path).toBe(200);
    }
    for (let variant = 0; variant < ROUTED; variant++) {
      const rig = await createApiRig({ objects: [...mangled(variant)] });
      for (const path of paths) {
        await rig.clock.advance(1000);
        const answer = await rig.send(path);
        if (answer.status >= 500 || answer.status === 429)
          found.push(`variant ${variant}: ${answer.status} ${path} ${await answer.text()}`);
      }
    }
    expect(found).toEqual([]);
  });
});
