import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** Where the roles of the server stand; what `slipway grant` prints is in the second, verb by verb. */
const FILES = ['server', 'cluster-wide', 'impersonation', 'oidc/constrained', 'oidc/full'];

const rule = z.object({
  apiGroups: z.array(z.string()),
  resources: z.array(z.string()),
  resourceNames: z.array(z.string()).default([]),
  verbs: z.array(z.string()),
});
const role = z.object({
  kind: z.enum(['Role', 'ClusterRole']),
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
  rules: z.array(rule),
});

/** A resource of a role, with the verbs that it is given. */
export interface Granted {
  readonly role: string;
  /** Where it holds; everywhere when absent. */
  readonly namespace: string | undefined;
  readonly group: string;
  readonly resource: string;
  /** The one object that it is given on; all when absent. */
  readonly name: string | undefined;
  readonly verbs: readonly string[];
  /** Verbs that stay although nothing uses them, as a line above the rule says. */
  readonly unused: readonly string[];
}

/** What the roles of the server give, as they are deployed. */
export async function readGranted(): Promise<readonly Granted[]> {
  const texts = await Promise.all(FILES.map((file) => readFile(path.join('deploy/rbac', `${file}.yaml`), 'utf8')));
  return texts.flatMap(grantedBy);
}

/** What the roles in the text of a file give. */
export function grantedBy(text: string): readonly Granted[] {
  return text.split(/^---$/m).flatMap((document) => {
    const { success, data } = role.safeParse(parse(document));
    if (!success) return [];
    const excuses = excusesOf(document);
    const { name, namespace } = data.metadata;
    return data.rules.flatMap((one, at) => expand(one, excuses[at] ?? []).map((resource) => ({ role: name, namespace, ...resource })));
  });
}

interface Excuse {
  readonly verbs: readonly string[];
  readonly resources: readonly string[];
}

function expand({ apiGroups, resources, resourceNames, verbs }: z.infer<typeof rule>, excuses: readonly Excuse[]) {
  const stray = excuses.find((excuse) => !isWithin(excuse.verbs, verbs) || !isWithin(excuse.resources, resources));
  if (stray) throw new Error(`"unused: ${stray.verbs.join(', ')} ${stray.resources.join(', ')}" names what its rule does not give`);
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => {
      const unused = excuses.filter((excuse) => excuse.resources.includes(resource)).flatMap((excuse) => excuse.verbs);
      return names.map((name) => ({ group, resource, name, verbs, unused }));
    }),
  );
}

const isWithin = (some: readonly string[], all: readonly string[]) => some.every((one) => all.includes(one));

const RULE = /^ {2}- apiGroups:/;
const EXCUSE = /^ *# unused: (?<verbs>[a-z:-]+(?:, [a-z:-]+)*) (?<resources>[a-z/]+(?:, [a-z/]+)*): \S/;

/** The lines `# unused: VERBS RESOURCES: why` above each rule of a role. */
function excusesOf(document: string): readonly (readonly Excuse[])[] {
  const found: Excuse[][] = [];
  let above: Excuse[] = [];
  for (const line of document.split('\n')) {
    const { verbs, resources } = EXCUSE.exec(line)?.groups ?? {};
    if (verbs !== undefined && resources !== undefined) above.push({ verbs: verbs.split(', '), resources: resources.split(', ') });
    else if (line.includes('# unused:'))
      throw new Error(`"# unused: VERBS RESOURCES: why" is how a right that stays is told, found ${line.trim()}`);
    if (!RULE.test(line)) continue;
    found.push(above);
    above = [];
  }
  return found;
}
