import { parseAllDocuments } from 'yaml';
import type { StatusReference } from '@/lib/contract/object-statuses';
import { statusReference } from '@/lib/contract/object-statuses';
import { readList, readString } from '@/lib/kube/fields';

const WANTED: Readonly<Record<string, string>> = {
  apiVersion: 'apiVersion must be a string such as apps/v1',
  kind: 'kind must be a string such as Deployment',
  name: 'metadata.name must be the name of an object',
  namespace: 'metadata.namespace must be the name of a namespace',
};

/** The objects that manifests name, each once; throws a sentence that says which document names none. */
export function readReferences(text: string, file: string): readonly StatusReference[] {
  const found = new Map<string, StatusReference>();
  for (const [index, document] of parseAllDocuments(text).entries()) {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`document ${index + 1} of ${file} is not valid YAML: ${error.message.split('\n')[0]}`);
    for (const value of membersOf(document.toJS({ maxAliasCount: 100 }))) {
      const reference = toReference(value, `document ${index + 1} of ${file}`);
      found.set(JSON.stringify(reference), reference);
    }
  }
  if (found.size === 0) throw new Error(`${file} needs manifests, found none`);
  return [...found.values()];
}

/** A document, or what it lists; an empty one is nothing. */
function membersOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  const kind = readString(value, 'kind');
  return kind?.endsWith('List') && readString(value, 'metadata', 'name') === undefined ? readList(value, 'items') : [value];
}

function toReference(value: unknown, where: string): StatusReference {
  const namespace = readString(value, 'metadata', 'namespace');
  const parsed = statusReference.safeParse({
    apiVersion: readString(value, 'apiVersion'),
    kind: readString(value, 'kind'),
    name: readString(value, 'metadata', 'name'),
    ...(namespace === undefined ? {} : { namespace }),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${where} names no object: ${WANTED[String(issue?.path[0])] ?? issue?.message}`);
}
