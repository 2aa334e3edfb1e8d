import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import type { Fields } from '@/lib/kube/fields';
import { secretsIn } from '@/lib/kube/mask';
import { getApiStatus, isNotFound, isTransportFailure } from '@/server/kube';
import type { ReleaseRef, StoredRevision } from '../../model/release';
import type { HelmStorage } from '../storage';
import { secretDefaults } from './chart-defaults';
import { maskerOf } from './mask-values';

type Mask = (text: string) => string;

/** What stands in the place of everything that Helm says where nobody knows which of it are values. */
export const VALUES_UNKNOWN = 'The Helm output is not shown: it is unknown which parts of it are values.';

/** What is known of a run whose words are to be masked. */
export interface MaskedRun {
  readonly release: ReleaseRef;
  /** What it is given; absent where it works on what is stored. */
  readonly values?: Fields;
  /** Where its chart lies, which comes with values of its own. */
  readonly chart?: string;
  /** The revision that it goes back to. */
  readonly to?: number;
}

/** What is hidden of a revision in texts about it: the values that it was given, and those of its chart by their names (record 0186). */
export function hiddenOf({ values, chart }: Pick<StoredRevision, 'values' | 'chart'>): readonly unknown[] {
  return [values, secretsIn(chart.values)];
}

/**
 * What masks the words of one run of Helm. The API server quotes an object when it refuses it, and that may be of what the run was given, of the chart, or of a
 * revision that is stored: Helm goes back to one, and takes values over from one.
 */
export async function maskOf(storage: Pick<HelmStorage, 'readHistory' | 'readRevision'>, run: MaskedRun): Promise<Mask> {
  const { release, values, chart, to } = run;
  const defaults = chart === undefined ? [] : await secretDefaults(chart);
  try {
    return maskerOf([values, defaults, await storedValues(storage, release, to)]);
  } catch (error) {
    // Helm may have more luck a moment later, and quote what nobody here knows.
    if (getApiStatus(error) !== undefined || isTransportFailure(error)) return () => VALUES_UNKNOWN;
    // What holds no revision Helm cannot read either, and says so.
    return values === undefined ? () => VALUES_UNKNOWN : maskerOf([values, defaults]);
  }
}

/** Does something to the objects of a release, and tells no value of it where the API server quotes one. */
export async function withoutValues<Result>(
  storage: Pick<HelmStorage, 'readHistory' | 'readRevision'>,
  { release }: Pick<MaskedRun, 'release'>,
  task: () => Promise<Result>,
): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    const told = messageOf(error);
    const masked = (await maskOf(storage, { release }))(told);
    throw masked === told ? error : new AppError(isAppError(error) ? error.code : 'rejected', masked);
  }
}

async function storedValues(
  storage: Pick<HelmStorage, 'readHistory' | 'readRevision'>,
  release: ReleaseRef,
  to: number | undefined,
): Promise<readonly unknown[]> {
  const history = await storage.readHistory(release);
  const wanted = [history.at(-1), history.findLast(({ status }) => status === 'deployed')].map((entry) => entry?.revision);
  const hidden: unknown[] = [];
  for (const revision of new Set([...wanted, to])) {
    if (revision === undefined) continue;
    const stored = await storage.readRevision(release, revision).catch((error: unknown) => {
      if (isNotFound(error)) return undefined; // pruned by Helm meanwhile
      throw error;
    });
    if (stored !== undefined) hidden.push(hiddenOf(stored));
  }
  return hidden;
}
