/** What an engine that does not drive keeps from being done, by the engine's name. */
export const REFUSED: Readonly<Record<string, string>> = {
  application: 'Slipway carries out no change of an application, and decisions on applications are refused.',
  rollout: 'Decisions on rollouts are refused, pause and abort included.',
  chartsync: 'Slipway installs and upgrades no Helm release.',
};
