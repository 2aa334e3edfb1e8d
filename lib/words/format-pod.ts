import { fromCatalogue } from './catalogue/catalogue';
import { formatNumber } from './figures';

interface Amounts {
  readonly cpu: number | null;
  readonly memory: number | null;
}

/** A container, as far as words about it go. */
interface PodContainer {
  readonly kind: 'init' | 'container' | 'ephemeral';
  readonly phase: 'waiting' | 'running' | 'ended';
  readonly ready: boolean;
  readonly restarts: number;
  readonly waits: string;
  readonly exit: string | null;
  readonly exitedAt: string | null;
  readonly exitBefore: { readonly how: string; readonly at: string | null } | null;
  readonly requests: Amounts;
  readonly limits: Amounts;
  readonly usage: Amounts | null;
}

/** A pod, as far as words about it go. */
interface PodRow {
  readonly phase: string;
  readonly reason: string;
  readonly deletingSince: string | null;
  readonly containers: readonly PodContainer[];
}

const MEMORY = ['', 'Ki', 'Mi', 'Gi', 'Ti'] as const;
const STEP = 1024;

/** Processor time as kubectl says it: thousandths of a core below ten cores. */
export function formatCpu(cores: number): string {
  return cores >= 10 ? formatNumber(Math.round(cores)) : cores > 0 && cores < 0.001 ? '<1m' : `${formatNumber(Math.round(cores * 1000))}m`;
}

/** Memory as kubectl says it. */
export function formatMemory(bytes: number): string {
  let [amount, at] = [bytes, 0];
  while (amount >= STEP && at < MEMORY.length - 1) {
    amount /= STEP;
    at++;
  }
  return `${amount < 10 && at > 0 ? amount.toFixed(1).replace('.0', '') : formatNumber(Math.round(amount))}${MEMORY[at]}`;
}

/** How many containers of a pod are ready, of those that are to stay; init containers only come before. */
export function formatReady({ containers }: PodRow): string {
  const stay = containers.filter(({ kind }) => kind === 'container');
  return `${stay.filter(({ ready }) => ready).length}/${stay.length}`;
}

/** A pod in a word or two: what keeps it, else its phase. */
export function formatPodState({ phase, reason, deletingSince, containers }: PodRow): string {
  if (deletingSince !== null) return fromCatalogue('Terminating');
  const held = containers.find(({ phase: of, waits }) => of === 'waiting' && waits !== '' && waits !== 'not started yet');
  return reason || (held?.waits.split(':')[0] ?? phase);
}

/** How a pod, or a container, ended last: the newest of the runs that are over. */
export function lastExitOf(containers: readonly PodContainer[]): { readonly how: string; readonly at: string | null } | null {
  const exits = containers.flatMap(({ kind, exit, exitedAt, exitBefore }) => {
    const now = exit === null || kind === 'init' ? [] : [{ how: exit, at: exitedAt }];
    return exitBefore === null ? now : [...now, exitBefore];
  });
  return exits.reduce<(typeof exits)[number] | null>((last, one) => (last === null || (one.at ?? '') > (last.at ?? '') ? one : last), null);
}

/** Restarts of all containers of a pod. */
export function restartsOf({ containers }: PodRow): number {
  return containers.reduce((sum, { restarts }) => sum + restarts, 0);
}

/** What the containers of a pod ask for or use together; null where none of them says. */
export function sumOf(containers: readonly PodContainer[], what: 'requests' | 'limits' | 'usage'): Amounts {
  const add = (of: keyof Amounts) => {
    const said = containers.flatMap((container) => (container.kind === 'init' ? [] : (container[what]?.[of] ?? [])));
    return said.length === 0 ? null : said.reduce((sum, one) => sum + one, 0);
  };
  return { cpu: add('cpu'), memory: add('memory') };
}
