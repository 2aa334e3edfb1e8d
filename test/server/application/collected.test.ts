import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { toInstant } from '@/lib/std/instant';
import type { CollectionInput } from '@/server/application/decide/collection';
import { collectionOf, decideCollection, evaluateCollection } from '@/server/application/decide/collection';
import type { RunPlan } from '@/server/application/decide/model';
import type { Observation, ObservedDecision } from '@/server/application/observe/observe';
import { parseApplication } from '@/server/application/spec/parse';
import { digestOfDeletions } from '@/server/dispatch';
import { entryOf, trackerOf } from './tracked';

// What a collection comes to, of an application as it is read: nothing is worked out while this file is loaded, so that what throws fails a test.

type Approvals = { readonly required?: number; readonly allowSelf?: boolean };

function anApplication(policies: readonly object[] = []) {
  const components = ['web', 'api'].map((name) => ({ name, type: 'webservice', properties: { image: 'registry.example.com/web:1' } }));
  return parseApplication({
    ...KINDS.application,
    metadata: { name: 'web', namespace: 'shop', uid: 'app', generation: 1 },
    spec: { components, policies: [...policies] },
  });
}

const entry = (name: string, kind = 'ConfigMap') => entryOf(kind, name);

const input = (more: Partial<CollectionInput> = {}): CollectionInput => ({
  application: anApplication(),
  components: ['web', 'api'],
  olds: [trackerOf('old', [entry('a')])],
  next: trackerOf('next', [entry('b')]),
  live: ({ kind, name, uid = '' }) => ({ kind: 'present', object: { apiVersion: 'v1', kind, metadata: { name, uid } } }),
  decisions: [],
  seenGarbage: undefined,
  accepted: undefined,
  target: undefined,
  now: toInstant(Date.UTC(2026, 0, 1)),
  ...more,
});

/** The terms that a rollout keeps in force while its policy is gone from the application. */
const inForce = (approvals: Approvals) =>
  ({ inForce: { ratio: 10, overlap: true, control: { approvals } } }) as unknown as CollectionInput['rollout'];

describe('what a collection comes to', () => {
  const outcome = (asked: CollectionInput, mayGo = true) => decideCollection(evaluateCollection(asked), asked.olds, mayGo).kind;

  it('[dispatch G] is carried out where something goes, waits for its turn, and is held for as long as it must be decided', () => {
    expect([outcome(input()), outcome(input(), false)]).toEqual(['collect', 'waiting']);
    expect(outcome(input({ seenGarbage: 'sha256:before' }))).toBe('held');
  });

  it('[dispatch G] is done where nothing goes and each older tracker holds something, and a tracker that holds nothing goes', () => {
    const application = anApplication([{ name: 'keep', type: 'garbage-collect', properties: { keepLegacyResource: true } }]);
    const kept = input({ application });
    expect(evaluateCollection(kept).plan.items.map(({ verdict }) => verdict)).toEqual(['kept', 'new']);
    expect(outcome(kept)).toBe('done');
    expect(outcome(input({ application, olds: [...kept.olds, trackerOf('older', [])] }))).toBe('collect');
  });

  it('[design 8] deletes nothing where the application asks to keep its objects', () => {
    const end = { next: undefined, components: [] } as const;
    const verdicts = (release: boolean) =>
      evaluateCollection(input({ ...end, release })).plan.items.map(({ verdict, why }) => [verdict, why]);
    expect(verdicts(true)).toEqual([['kept', 'the application asks to leave its objects in place']]);
    expect(verdicts(false)).toEqual([['deleted', 'its application is being deleted']]);
  });

  it('[dispatch G] goes by no policy where the application cannot be read', () => {
    const application = { name: 'web', namespace: 'shop', uid: 'app', rollout: undefined };
    expect(outcome(input({ application }))).toBe('collect');
  });

  it('[dispatch G] is asked about with the components that the application has', () => {
    const plan = { application: anApplication(), olds: [], rollout: { kind: 'none' } } as unknown as RunPlan;
    const seen = { object: { metadata: {} } } as unknown as Observation;
    expect(collectionOf(plan, seen, { next: undefined, accepted: undefined, requester: undefined }).components).toEqual(['web', 'api']);
  });
});

describe('deletions that were shown before', () => {
  const heldBy = (more: Partial<CollectionInput>) => evaluateCollection(input(more)).held;

  it('[issue 9.4] go where they are those that the change was accepted with, and wait where they are others', () => {
    expect(heldBy({ accepted: digestOfDeletions(evaluateCollection(input()).plan) })).toBeUndefined();
    expect(heldBy({ accepted: 'sha256:others' })).toContain('what was seen when the change was requested');
  });

  it('[design 8] are named by when they were seen: at the request of the end, or when the rollout went on', () => {
    expect(heldBy({ next: undefined, seenEnd: 'sha256:before' })).toContain('what was seen when the deletion was requested');
    expect(heldBy({ seenGarbage: 'sha256:before' })).toContain('what was seen when the rollout was continued');
  });

  it('[issue 10.2] are held by the terms of the rollout in force, also where the application has no policy any more', () => {
    const olds = [
      trackerOf(
        'old',
        ['a', 'c', 'd', 'e', 'f', 'g'].map((name) => entry(name)),
      ),
    ];
    expect(heldBy({ olds, rollout: inForce({ required: 2 }) })).toMatch(/; it requires 2 approvals \(0 of 2\)$/);
    expect(heldBy({ olds, next: undefined, rollout: inForce({ allowSelf: false }) })).toMatch(
      /; it requires 2 approvals, since one of them may be from the person who deletes it \(0 of 2\)$/,
    );
  });
});

describe('an approval while nobody may decide', () => {
  it('[issue 10.2] counts for nothing, and is told why', () => {
    const garbage = evaluateCollection(input()).plan.digest;
    const decision: ObservedDecision = {
      object: { ...KINDS.stageDecision, metadata: { name: 'by-ada', uid: 'by-ada' } },
      spec: {
        applicationRef: { name: 'web', uid: 'app' },
        verb: 'approve',
        actor: { user: 'ada', groups: [] },
        seen: { garbage },
      },
      phase: 'Pending',
    };
    const judged = (decisionsBlockedReason?: string) =>
      evaluateCollection(input({ seenGarbage: 'sha256:before', decisions: [decision], decisionsBlockedReason }));
    expect(judged('nothing ties a decision to a person')).toMatchObject({
      held: expect.stringContaining('(0 of 1)'),
      evaluated: [{ phase: 'Rejected', message: 'nothing ties a decision to a person' }],
    });
    expect(judged()).toMatchObject({ held: undefined, evaluated: [{ phase: 'Accepted' }] });
  });
});
