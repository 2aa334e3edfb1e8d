import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { ApplicationFacts, TrackedObject } from '@/server/readmodel/applications/application-facts';
import { toApplicationRow } from '@/server/readmodel/applications/application-row';

const status = { health: 'Current', message: '' } as const;
const tracked = (apiVersion: string, tracker: string): TrackedObject => ({
  apiVersion,
  kind: 'Service',
  namespace: 'shop',
  name: 'web',
  component: 'web',
  tracker,
  revision: undefined,
  object: { apiVersion, kind: 'Service', metadata: { name: 'web', namespace: 'shop' } },
  status,
});
const factsOf = (objects: readonly TrackedObject[]): ApplicationFacts => ({
  application: { ...KINDS.application, metadata: { name: 'web', namespace: 'shop' } },
  rollout: undefined,
  trackers: [],
  objects,
  status,
  activity: 'idle',
  waits: undefined,
  awaited: undefined,
  suspended: undefined,
  revision: 'web-v1',
  drift: {
    state: 'compared',
    why: '',
    revision: 'web-v1',
    compared: 0,
    drifted: 0,
    left: 0,
    unknown: 0,
    repair: { when: 'soon', why: '' },
    objects: [],
  },
});

it('[design 9] counts an object once however many trackers list it, and namesakes of another group beside it', () => {
  const objects = [tracked('v1', 'web-v1'), tracked('v1', 'web-v2'), tracked('serving.knative.dev/v1', 'web-v2')];
  expect(toApplicationRow(factsOf(objects)).objects).toBe(2);
});

describe('[issue 14] where a rollout goes, named as the application names its revisions', () => {
  const rolling = (told: object) =>
    ({ told: { position: 'running', to: 'web-v2', stageIndex: 1, stageCount: 2, abort: null, ...told } }) as ApplicationFacts['rollout'];

  it.each([
    ['on its way', rolling({}), 'storefront-v2'],
    ['to a workload that no application made', rolling({ to: 'web-green' }), 'web-green'],
    ['back, once it is aborted', rolling({ position: 'aborted', abort: { rejected: 'web-v2', stable: ['web-v1'] } }), null],
    ['nowhere, once it is there', rolling({ position: 'complete' }), null],
    ['nowhere without one', undefined, null],
  ])('%s', (_what, rollout, target) => {
    const facts = factsOf([]);
    const application = { ...facts.application, metadata: { name: 'storefront', namespace: 'shop' } };
    expect(toApplicationRow({ ...facts, application, rollout, revision: 'storefront-v1' }).target).toBe(target);
  });
});
