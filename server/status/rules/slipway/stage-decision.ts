import type { StatusRule } from '../rule';

/** A decision that was refused is settled as well: nothing about it will change, and its message says why. */
export const stageDecision: StatusRule = {
  kind: 'slipway.dev/StageDecision',
  rows: [
    {
      when: [{ path: '.status.phase', is: ['Accepted', 'Rejected', 'Expired'] }],
      status: 'Current',
      message: '{.status.phase}: {.status.message|no reason given}',
    },
    { status: 'InProgress', reason: 'Pending', message: 'Decision waits to be judged' },
  ],
};
