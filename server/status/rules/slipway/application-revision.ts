import type { StatusRule } from '../rule';

/** A snapshot: nobody reports on one. */
export const applicationRevision: StatusRule = { kind: 'core.oam.dev/ApplicationRevision', statusless: true };
