import { catalogue } from '../catalogue';

/** What the terminal of a pod says. */
export const t = catalogue({
  afterTheTerminal: 'End of the terminal.',
  pods: 'pods',
  objects: 'Objects',
  terminal: 'Terminal',
  ended: (sentence: string) => `Ended: ${sentence}`,
  openAgain: 'Open again',
  openingAShellInPod: (pod: string) => `Opening a shell in pod ${pod}.`,
  noTerminalInPodIn: (pod: string, ns: string) => `No terminal in pod ${pod} in ${ns}.`,
  hasEndedIn: (pod: string, ns: string) => `The terminal in pod ${pod} in ${ns} has ended. The session is recorded; what was typed is not.`,
  youAreInContainerOf: (container: string, pod: string, ns: string) =>
    `You are in container ${container} of pod ${pod} in ${ns}. The session is recorded; what you type is not. Press F6 to leave the terminal.`,
  container: 'Container',
});
