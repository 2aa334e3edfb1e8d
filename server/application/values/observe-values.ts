import { messageOf } from '@/lib/contract/app-error';
import type { KubeObject } from '@/lib/kube/object';
import type { SensitivePlace } from '@/lib/kube/sensitive';
import { inlinePlaces } from '@/lib/kube/sensitive';
import type { Observation } from '../observe/observe';
import type { ParsedApplication } from '../spec/model';
import { parseApplication } from '../spec/parse';
import { extractValues } from './extract-values';
import type { ValuesKey } from './values-key';

type Seen = Pick<Observation, 'application' | 'inline'>;

/** Copies of one object are the same object, and that of a large application takes a while. */
const MOVED = new WeakMap<KubeObject, Seen>();

/** The application as its revisions hold it: what stands inline by other ways than the console is referred to, as if the console had written it. */
export async function withExtractedValues(seen: Observation, key: ValuesKey): Promise<Observation> {
  const { application, object } = seen;
  if ('fault' in application || object.metadata.deletionTimestamp !== undefined) return seen;
  const known = MOVED.get(object);
  if (known !== undefined) return { ...seen, ...known };
  const places = inlinePlaces(object);
  if (places.length === 0) return seen;
  const moved = move(application, places, await key());
  MOVED.set(object, moved);
  return { ...seen, ...moved };
}

function move(application: ParsedApplication, places: readonly SensitivePlace[], key: string): Seen {
  try {
    const moved = extractValues(application.object, key);
    return {
      application: parseApplication(moved.object),
      inline: {
        written: application,
        secrets: moved.secrets,
        places: places.map(({ what }) => what),
        move: (other: KubeObject) => extractValues(other, key),
      },
    };
  } catch (error) {
    return { application: { fault: messageOf(error) } };
  }
}
