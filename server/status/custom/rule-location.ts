import { AppError } from '@/lib/contract/app-error';
import { readNamedFile } from '@/server/platform';
import type { LuaRunner, LuaScript } from '../lua/lua-runner';
import { readLuaConfigMap, readLuaFolder } from '../lua/lua-scripts';
import { parseStatusRules } from '../rules/read-rules';
import type { StatusRule } from '../rules/rule';

/** Where a team keeps rules or health checks of its own. */
export type RuleLocation =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'config-map'; readonly namespace: string; readonly name: string };

const CONFIG_MAP = /^configmap:([^/]+)\/([^/]+)$/;

/** Reads places with commas between: paths and `configmap:NS/NAME`. */
export function parseRuleLocations(text: string, setting: string): readonly RuleLocation[] {
  return text.split(',').flatMap((part): readonly RuleLocation[] => {
    const trimmed = part.trim();
    const [, namespace, name] = CONFIG_MAP.exec(trimmed) ?? [];
    if (namespace !== undefined && name !== undefined) return [{ kind: 'config-map', namespace, name }];
    if (trimmed.startsWith('configmap:'))
      throw new AppError('invalid', `${setting} needs configmap:NAMESPACE/NAME, found ${JSON.stringify(trimmed)}`);
    return trimmed === '' ? [] : [{ kind: 'path', path: trimmed }];
  });
}

/** A place as it was written. */
export function describeRuleLocation(place: RuleLocation): string {
  return place.kind === 'path' ? place.path : `configmap:${place.namespace}/${place.name}`;
}

/** Reads a file of rules. Throws AppError with a sentence per mistake. */
export async function readRuleFile(path: string): Promise<readonly StatusRule[]> {
  return parseStatusRules(await readNamedFile(path, `the status rules of ${path}`), path);
}

/** What a kind of source holds, and how it is read from either sort of place. */
export interface Reading<Entry> {
  readonly ofPath: (path: string) => Promise<readonly Entry[]>;
  readonly ofConfigMap: (data: Readonly<Record<string, string>>, source: string) => readonly Entry[];
  readonly keyOf: (entry: Entry) => string;
  /** A sentence for each entry that cannot be used as it is written; absent where reading tells that already. */
  readonly explainWrong?: (entries: readonly Entry[]) => Promise<ReadonlyMap<Entry, string>>;
}

export const RULES: Reading<StatusRule> = {
  ofPath: readRuleFile,
  ofConfigMap: (data, source) =>
    Object.entries(data).flatMap(([name, text]) => (/\.(ya?ml|json)$/.test(name) ? parseStatusRules(text, `${source} ${name}`) : [])),
  keyOf: ({ kind }) => kind,
};

/** Health checks in Lua, which a runner looks at before they are in force. */
export function scriptsBy(runner: Pick<LuaRunner, 'check'> | undefined): Reading<LuaScript> {
  const explain = runner === undefined ? {} : { explainWrong: (scripts: readonly LuaScript[]) => runner.check(scripts) };
  return { ofPath: readLuaFolder, ofConfigMap: readLuaConfigMap, keyOf: ({ key }) => key, ...explain };
}
