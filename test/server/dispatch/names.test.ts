import fc from 'fast-check';
import { expect, it } from 'vitest';
import { constructResourceTrackerName, extractAppRevisionName, revisionNameOf, revisionNumberOf } from '@/server/dispatch';
import { extractAppName } from '@/server/dispatch/names';

const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,12}[a-z0-9])?$/);

it('[dispatch N1 N2 N3] construct and extract are inverse for every application, number and namespace', () => {
  fc.assert(
    fc.property(name, fc.integer({ min: 1, max: 9999 }), name, (app, number, ns) => {
      const revision = revisionNameOf(app, number);
      const tracker = constructResourceTrackerName(revision, ns);
      expect(extractAppRevisionName(tracker, ns)).toBe(revision);
      expect(extractAppName(tracker, ns)).toBe(app);
      expect(revisionNumberOf(revision)).toBe(number);
    }),
  );
});

it.each(['web', 'web-1', 'web-vx', 'v1', ''])('[dispatch N4] %j is no revision name', (text) => {
  expect(revisionNumberOf(text)).toBeUndefined();
});
