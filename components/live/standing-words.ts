/** What an engine that does not drive keeps from being done, by the engine's name. */
export const REFUSED: Readonly<Record<string, string>> = {
  application: 'Applications are read-only here: decisions on them are refused.',
  rollout: 'Rollouts are read-only here: all decisions are refused, including pause and abort.',
  chartsync: 'Helm releases are read-only here.',
};
