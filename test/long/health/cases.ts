import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { isFields, readFields } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

/** An object of Argo CD's own tests, and the health that Argo CD expects of it. */
export interface HealthCase {
  readonly from: 'Lua' | 'Go';
  readonly at: string;
  readonly object: KubeObject;
  readonly expected: string;
}

const tests = z.object({
  tests: z.array(
    z.object({ inputPath: z.string().optional(), inputpath: z.string().optional(), healthStatus: z.object({ status: z.string() }) }),
  ),
});

/** Every case of a folder that has Argo CD's `resource_customizations/` and `gitops-engine/pkg/health/`. */
export function readCases(folder: string): readonly HealthCase[] {
  return [...luaCases(folder), ...goCases(folder)];
}

function luaCases(folder: string): readonly HealthCase[] {
  const root = path.join(folder, 'resource_customizations');
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name === 'health_test.yaml')
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .flatMap((file) =>
      tests.parse(parse(readFileSync(file, 'utf8'))).tests.map((test) => {
        const at = path.join(path.dirname(file), test.inputPath ?? test.inputpath ?? '');
        return toCase('Lua', at, test.healthStatus.status);
      }),
    );
}

/** The expectations of the built-in checks stand in the Go test, a file and a status per line. */
function goCases(folder: string): readonly HealthCase[] {
  const root = path.join(folder, 'gitops-engine/pkg/health');
  const test = path.join(root, 'health_test.go');
  if (!existsSync(test)) return [];
  const found = readFileSync(test, 'utf8').matchAll(/assertAppHealth\(t, "([^"]+)", HealthStatus(\w+)\)/g);
  return [...found].flatMap(([, file = '', status = '']) =>
    existsSync(path.join(root, file)) ? [toCase('Go', path.join(root, file), status)] : [],
  );
}

/** An object being deleted counts as Progressing: Argo CD says so before it asks the rule that the test speaks to. */
function toCase(from: HealthCase['from'], at: string, written: string): HealthCase {
  const object = withWords(readObject(at));
  const deleting = typeof object.metadata?.deletionTimestamp === 'string' && object.metadata.deletionTimestamp !== '';
  return { from, at, object, expected: deleting ? 'Progressing' : written };
}

/** Go's reader is lenient: of a key twice the last counts, of several documents the first. */
function readObject(file: string): KubeObject {
  const [document] = parseAllDocuments(readFileSync(file, 'utf8'), { strict: false, uniqueKeys: false });
  if (document === undefined || !('toJS' in document)) throw new Error(`${file} has no object`);
  return document.toJS({ maxAliasCount: -1 });
}

/** A condition whose status is a boolean: no API server stores one, and its word is meant. */
function withWords(object: KubeObject): KubeObject {
  const { conditions } = readFields(object, 'status');
  if (!Array.isArray(conditions)) return object;
  const worded = conditions.map((one) =>
    isFields(one) && typeof one.status === 'boolean' ? { ...one, status: one.status ? 'True' : 'False' } : one,
  );
  return { ...object, status: { ...readFields(object, 'status'), conditions: worded } };
}
