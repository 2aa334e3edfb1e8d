import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import type { InlineValues } from '../observe/observe';

/** What is said of values that stand in an application as they are: which, and what follows. */
export function inlineValuesMessage(
  { kind, metadata: { name, namespace } }: KubeObject,
  { places: [first = '', ...others] }: Pick<InlineValues, 'places'>,
): string {
  const what = others.length === 0 ? `${first} stands` : `${first} and ${others.length} more stand`;
  const them = others.length === 0 ? 'it' : 'them';
  return `${what} in ${describeObject({ kind, name, namespace })} as written: everyone who may read the application can read ${them}; write ${them} again in the console, or refer to a Secret`;
}
