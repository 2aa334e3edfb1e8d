import { expect, it } from 'vitest';
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
