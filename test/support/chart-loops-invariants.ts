import { readString } from '@/lib/kube/fields';
import { toStableJson } from '@/lib/std/stable-json';
import type { StoredRevision } from '@/server/chartsync/model/release';
import type { Action } from '../cases/chartsync/world';

interface Watching {
  /** The resource behind a gate. */
  readonly gated: string;
  /** The commits that were approved, the earlier ones too: what is under way goes on at the one that counted when it began. */
  readonly approved: ReadonlySet<string>;
  /** The commit that the git side has taken at the beginning. */
  readonly starts: string;
}

/** What issue 12 promises of the loops, whatever happens; hears of each act, and of what people do. */
export class LoopInvariants {
  readonly broken: string[] = [];
  readonly #watching: Watching;
  readonly #released = new Map<string, string>();
  readonly #deleted = new Set<string>();
  readonly #failedInstall = new Set<string>();
  #taken: string;

  constructor(watching: Watching) {
    this.#watching = watching;
    this.#taken = watching.starts;
  }

  /** Somebody made a release wanted otherwise than it was, or changed it. */
  changed(release: string): void {
    this.#released.delete(release);
  }

  /** The object that declares a release is deleted. */
  deleted(release: string): void {
    this.#deleted.add(release);
  }

  hear(action: Action, newest: (release: string) => StoredRevision | undefined): void {
    if (action.do === 'swap') this.#taken = readString(action, 'to') ?? '';
    const release = readString(action, 'release');
    if (release === undefined) return;
    if (action.do === 'uninstall') this.#hearUninstall(release);
    if (!['install', 'upgrade', 'dryRun'].includes(action.do)) return;
    this.#hearRevision(release, action);
    if (action.do === 'dryRun') return;
    if (action.do === 'install' && action.ok === false) this.#failedInstall.add(release);
    if (action.ok !== true) this.#released.delete(release);
    else this.#hearReleased(release, action, newest(release));
  }

  #hearUninstall(release: string): void {
    if (!this.#deleted.has(release) && !this.#failedInstall.has(release))
      this.broken.push(`${release} was uninstalled, and nobody deleted its object`);
    this.#released.delete(release);
    this.#deleted.delete(release);
    this.#failedInstall.delete(release);
  }

  /** Only the base kind has one copy: what the later kinds are at is their own head. */
  #hearRevision(release: string, { do: act, rev }: Action): void {
    const { gated, approved } = this.#watching;
    if (release === gated.replace('/', '-')) {
      if (!approved.has(String(rev))) this.broken.push(`${act} of ${release} used ${String(rev)}, which nobody approved`);
    } else if (isBase(release) && rev !== this.#taken)
      this.broken.push(`${act} of ${release} used ${String(rev)}, and the git side has taken ${this.#taken}`);
  }

  #hearReleased(release: string, { rev }: Action, newest: StoredRevision | undefined): void {
    const what = toStableJson([rev, newest?.chart, newest?.values]);
    if (this.#released.get(release) === what) this.broken.push(`${release} was released twice at ${String(rev)}`);
    this.#released.set(release, what);
  }
}

const isBase = (release: string) => ['pay-one', 'pay-two'].includes(release);
