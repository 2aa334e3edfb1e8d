import { AppError } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import type { Clock } from '@/server/platform';
import type { RevisionContent } from '../describe/compare-revisions';
import type { DeclaredRelease } from '../model/declared';
import type { ReleasePlan } from '../plan/release-plan';
import type { ApprovableCommit } from '../ports';
import type { ChartRenderer } from './chart-renderer';
import type { RequestedCommit } from './charts-of-commits';
import type { ListedCommits } from './listed-commits';

/** What a chart makes may hang on Secrets and on the cluster, so it is not kept for long. */
const KEPT_MS = 60_000;
const MAX_KEPT = 8;
/** Each takes seconds of a processor: whoever comes when so many wait is told to come again. */
const MAX_WAITING = 8;

interface Kept {
  readonly at: number;
  readonly content: Promise<RevisionContent>;
}

/** A commit to render a release at, and the newest revision that Helm stored of it; null for none. */
interface RenderedAt {
  readonly commit: string;
  readonly stored: number | null;
}

type Desk = Pick<ChartRenderer, 'commits' | 'approvable' | 'head' | 'render' | 'plan' | 'schema'>;

/** What commits would make of releases, asked of the process that has their repositories and Helm. Renderings are shared, and kept for a minute. */
export class ReleasePreviews {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #kept = new Map<string, Kept>();
  #waiting = 0;
  #desk: () => Desk | string = () => 'chart sync has not started';

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Says from now on who renders, or why nobody does. */
  follow(desk: () => Desk | string): void {
    this.#desk = desk;
  }

  /** The newest commits that touched the chart of a release; where a gate is in force, with what an approval of them depends on. */
  async commits(resource: DeclaredRelease, gated: { readonly isGated: boolean }): Promise<ListedCommits> {
    return this.#open().commits(resource, gated);
  }

  /** What is known of a commit that somebody is about to approve. */
  async approvable(resource: DeclaredRelease, asked: RequestedCommit): Promise<ApprovableCommit> {
    const desk = this.#open();
    if (!asked.isWhole) return desk.approvable(resource, asked);
    this.#requireTurn();
    return this.#render(() => desk.approvable(resource, asked));
  }

  /** The commit or version that the chart of a release is at now. */
  async head(resource: DeclaredRelease): Promise<string> {
    return this.#open().head(resource);
  }

  /** What a commit would make of a release; of a chart that is pulled, its version. */
  async render(resource: DeclaredRelease, { commit, stored }: RenderedAt): Promise<RevisionContent> {
    const desk = this.#open();
    const key = JSON.stringify([resource.uid, resource.generation, commit, stored]);
    const known = this.#kept.get(key);
    if (known !== undefined && known.at + KEPT_MS > this.#clock.now()) return known.content;
    this.#requireTurn();
    const content = this.#render(() => desk.render(resource, { commit, isNew: stored === null }));
    this.#kept.delete(key); // it is the newest now
    this.#kept.set(key, { at: this.#clock.now(), content });
    content.catch(() => this.#kept.delete(key)); // whoever asked hears of it; the next one tries again
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
    return content;
  }

  /** What releasing a resource would do now; never one that was worked out before. */
  async plan(resource: DeclaredRelease): Promise<ReleasePlan> {
    const desk = this.#open();
    this.#requireTurn();
    return this.#render(() => desk.plan(resource));
  }

  /** The schema that the chart of a release has for its values. */
  async schema(resource: DeclaredRelease): Promise<Fields | undefined> {
    return this.#open().schema(resource);
  }

  #requireTurn(): void {
    if (this.#waiting >= MAX_WAITING)
      throw new AppError('too-many', `${MAX_WAITING} charts are being rendered for others; try again in a moment`);
  }

  async #render<Result>(task: () => Promise<Result>): Promise<Result> {
    this.#waiting++;
    try {
      return await task();
    } finally {
      this.#waiting--;
    }
  }

  #open(): Desk {
    const desk = this.#desk();
    if (typeof desk === 'string') throw new AppError('unavailable', desk);
    return desk;
  }
}
