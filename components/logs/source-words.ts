import type { LogSource } from '@/lib/contract/log-stream';
import { t } from '@/lib/words/catalogue/objects/logs';

/** How a state of a container's log is called. */
export const SOURCE_WORDS: Readonly<Record<LogSource['state'], string>> = {
  opening: t.opening,
  reading: t.reading,
  waiting: t.waiting,
  ended: t.ended,
  gone: t.gone,
  left: t.notRead,
  refused: t.refused,
  broken: t.broken,
};

/** What a line is called by: the shortest name that tells its container from the others. */
export function nameSources(sources: readonly LogSource[]): ReadonlyMap<number, string> {
  const pods = new Set(sources.map(({ ns, pod }) => `${ns}/${pod}`));
  const ends = new Set([...pods].map(statusAtEnd));
  const containers = new Set(sources.map(({ container }) => container));
  const namespaces = new Set(sources.map((each) => each.ns));
  const named = sources.map(({ id, ns, pod, container }): [number, string] => {
    const shown = ends.size === pods.size ? statusAtEnd(pod) : pod;
    const place = namespaces.size > 1 ? `${ns}/${shown}` : shown;
    if (pods.size < 2) return [id, container];
    return [id, containers.size > 1 ? `${place} ${container}` : place];
  });
  return new Map(named);
}

/** Pods of one template differ in their ends. */
const statusAtEnd = (pod: string) => pod.slice(pod.lastIndexOf('-') + 1);

/** The name in full, for who points at it. */
export const formatLogSource = ({ ns, pod, container }: LogSource): string => t.containerOfPodIn(container, pod, ns);
