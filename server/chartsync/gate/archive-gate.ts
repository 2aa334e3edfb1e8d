import { messageOf } from '@/lib/contract/app-error';
import type { Archive, KeptGate } from '@/lib/contract/release-gate';
import { toIso } from '@/lib/std/instant';
import { formatRelease } from '@/lib/words/format-release';
import type { Clock, Log } from '@/server/platform';
import type { ExtendedRelease } from '../model/declared';
import type { RepositoryChart } from '../model/extended-spec';
import type { ChartAt } from '../model/release';
import type { ChartSources, GatedChart, Pulled } from '../ports';
import type { Gates } from './gates';
import { isPinned, pulledChange, versionOf } from './pinned';

interface ArchiveGateDeps {
  readonly gates: Gates;
  readonly sources: Pick<ChartSources, 'pull'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The gate before archives of Helm repositories and registries.
 *
 * 1. A gated release is at the archive that its resource was last changed to, or that was approved since: that one is kept, where only engines write.
 * 2. What its version leads to besides waits, and is approved by its digest.
 * 3. What was approved is released, also where the version leads to yet another archive by then; one that cannot be had any more is waited for.
 */
export class ArchiveGate {
  readonly #deps: ArchiveGateDeps;

  constructor(deps: ArchiveGateDeps) {
    this.#deps = deps;
  }

  /** The archive that a gated release may go to. */
  async allowed(resource: ExtendedRelease, chart: RepositoryChart, { found, attempted, isChanged }: Pulled): Promise<GatedChart> {
    const { digest = '', revision } = found;
    const gate = this.#deps.gates.of(resource);
    if (gate === undefined) return { chart: found };
    const current = gate.archive?.current ?? undefined;
    const now = toIso(this.#deps.clock.now());
    const at = current ?? attempted;
    if (isChanged || current?.digest === digest || !isPinned(chart, found, at)) {
      const isSame = current?.digest === digest && current.revision === revision;
      await this.#note(resource, { current: isSame ? current : { revision, digest, at: now, by: [] }, waiting: null });
      return { chart: found };
    }
    const { waiting } = gate.archive ?? {};
    await this.#note(resource, { current: current ?? null, waiting: waiting?.digest === digest ? waiting : { revision, digest, at: now } });
    const approved = current !== undefined && pulledChange(attempted, current) !== 'no' ? current : undefined;
    const kept = approved && (await this.#pullExactly(resource, chart, approved));
    if (kept !== undefined) return { chart: kept };
    const before = { revision: at.revision ?? '', digest: at.digest ?? null };
    return {
      waits: formatRelease({
        id: 'gate.archive-moved',
        version: chart.version,
        now: { revision, digest },
        before,
        required: gate.required,
        lost: approved === undefined || approved.by.length === 0 ? null : approved,
      }),
    };
  }

  async #note(resource: ExtendedRelease, archive: NonNullable<KeptGate['archive']>): Promise<void> {
    await this.#deps.gates.change(resource, (gate) => ({ ...gate, archive }));
  }

  /** The archive with exactly this digest, where its version still leads to it. */
  async #pullExactly(resource: ExtendedRelease, chart: RepositoryChart, archive: Archive): Promise<ChartAt | undefined> {
    try {
      const found = await this.#deps.sources.pull({ ...chart, version: versionOf(archive.revision) }, resource.onBehalfOf);
      return found.digest === archive.digest ? found : undefined;
    } catch (error) {
      this.#deps.log.warn(
        { resource: resource.key, revision: archive.revision, error: messageOf(error) },
        'an approved archive is not available',
      );
      return undefined;
    }
  }
}
