import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { AppError } from '@/lib/contract/app-error';
import { isFields, readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';

/** Reads one YAML file, or every one of a folder in the order of their names, as objects. */
export async function readManifests(folder: string): Promise<readonly KubeObject[]> {
  if (folder.endsWith('.yaml')) return parseManifests(await readFile(folder, 'utf8'), path.basename(folder));
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const objects: KubeObject[] = [];
  for (const name of names) objects.push(...parseManifests(await readFile(path.join(folder, name), 'utf8'), name));
  return objects;
}

/** Reads the objects of one YAML text; the name says where a mistake is. */
export function parseManifests(text: string, name: string): readonly KubeObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new AppError('invalid', `${name}: ${document.errors[0]?.message ?? 'no YAML'}`);
    const value: unknown = document.toJS({ maxAliasCount: 20 });
    if (value === null || value === undefined) return [];
    if (!isKubeObject(value))
      throw new AppError(
        'invalid',
        `${name} must be objects with apiVersion, kind and metadata, found ${JSON.stringify(value).slice(0, 80)}`,
      );
    return [value];
  });
}

function isKubeObject(value: unknown): value is KubeObject {
  return (
    isFields(value) && readString(value, 'apiVersion') !== undefined && readString(value, 'kind') !== undefined && isFields(value.metadata)
  );
}
