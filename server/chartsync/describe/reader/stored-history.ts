import { readString } from '@/lib/kube/fields';
import { inParallel } from '@/lib/std/in-parallel';
import { isNotFound } from '@/server/kube';
import { hiddenOf } from '../../helm/masking/hidden-values';
import { maskValues } from '../../helm/masking/mask-values';
import type { HelmStorage } from '../../helm/storage';
import type { HelmStatus, ReleaseRef, RevisionEntry } from '../../model/release';

/** Payloads reach a megabyte, so the content of so many revisions is read; of older ones the labels tell. */
const MAX_READ = 10;
const AT_ONCE = 4;

/** One stored revision as it is shown; what its content tells is null where that is not read. */
export interface ShownRevision {
  readonly revision: number;
  readonly status: HelmStatus;
  readonly storedAt: string | null;
  readonly chart: string | null;
  readonly chartVersion: string | null;
  readonly appVersion: string | null;
  /** What Helm noted of it, values masked. */
  readonly description: string | null;
}

/** Every stored revision, newest first. */
export async function readStoredHistory(storage: HelmStorage, release: ReleaseRef): Promise<readonly ShownRevision[]> {
  const entries = [...(await storage.readHistory(release))].reverse();
  const shown = new Map<number, ShownRevision>();
  await inParallel(
    entries.slice(0, MAX_READ),
    AT_ONCE,
    async (entry) => void shown.set(entry.revision, await readOne(storage, release, entry)),
  );
  return entries.map((entry) => shown.get(entry.revision) ?? fromLabels(entry));
}

async function readOne(storage: HelmStorage, release: ReleaseRef, entry: RevisionEntry): Promise<ShownRevision> {
  try {
    const stored = await storage.readRevision(release, entry.revision);
    const { chart, description } = stored;
    const text = (member: string) => readString(chart.metadata, member) ?? null;
    return {
      ...fromLabels(entry),
      chart: text('name'),
      chartVersion: text('version'),
      appVersion: text('appVersion'),
      description: description === undefined ? null : maskValues(description, hiddenOf(stored)),
    };
  } catch (error) {
    if (isNotFound(error)) return fromLabels(entry); // pruned by Helm meanwhile
    throw error;
  }
}

function fromLabels({ revision, status, storedAt }: RevisionEntry): ShownRevision {
  return { revision, status, storedAt: storedAt ?? null, chart: null, chartVersion: null, appVersion: null, description: null };
}
