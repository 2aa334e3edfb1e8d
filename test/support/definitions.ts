import type { Fields } from '@/lib/kube/fields';
import { isFields, readFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { readManifests } from '@/server/installation';

const READ = new Map<string, Promise<readonly KubeObject[]>>();

/** What a file or folder of `deploy` holds, read once in a process: each house installs it, and nobody changes it. */
export function readDeployed(at: `deploy${string}`): Promise<readonly KubeObject[]> {
  const reading = READ.get(at) ?? readManifests(at);
  READ.set(at, reading);
  return reading;
}

/** A definition of ours, changed as an older or foreign one would be. The change gets a copy of its own. */
export async function aDefinition(
  plural: string,
  change: (schema: Schema, definition: KubeObject) => unknown = () => undefined,
): Promise<KubeObject> {
  const found = (await readDeployed('deploy/crds')).find(({ metadata }) => metadata.name?.startsWith(`${plural}.`));
  if (found === undefined) throw new Error(`no definition of ours is called ${plural}`);
  const definition = structuredClone(found);
  change(new Schema(schemaOf(definition)), definition);
  return definition;
}

/** The schema of the first version of a definition. */
export function schemaOf(definition: KubeObject): Fields {
  const [version] = (definition.spec as { readonly versions: readonly unknown[] }).versions; // one of ours
  return readFields(version, 'schema', 'openAPIV3Schema');
}

export const OPEN = 'x-kubernetes-preserve-unknown-fields';

/** A schema that a test changes: fields by path, `[]` for the items of a list. */
export class Schema {
  readonly #root: Fields;

  constructor(root: Fields) {
    this.#root = root;
  }

  /** The schema of a field, to be changed. */
  at(path: string): Record<string, unknown> {
    let at: unknown = this.#root;
    for (const step of path.split('.').filter((one) => one !== '')) {
      at = readFields(at, 'properties')[step.replace('[]', '')];
      if (step.endsWith('[]')) at = readFields(at, 'items');
    }
    if (!isFields(at)) throw new Error(`the definition has no ${path}`);
    return at as Record<string, unknown>; // a copy of the test's own
  }

  set(path: string, over: Readonly<Record<string, unknown>>): void {
    Object.assign(this.at(path), over);
  }

  /** Takes a field out of what is known, and keeps no unknown ones above it. */
  remove(path: string): void {
    const steps = path.split('.');
    for (let depth = 0; depth < steps.length; depth++) delete this.at(steps.slice(0, depth).join('.'))[OPEN];
    const properties = this.at(steps.slice(0, -1).join('.')).properties as Record<string, unknown>; // a copy of the test's own
    delete properties[steps.at(-1) ?? ''];
  }
}
