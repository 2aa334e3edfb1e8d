import { isFields, readFields, readList, readString } from '@/lib/kube/fields';
import type { TypeRef } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import type { Session } from '@/server/auth';
import { findResource, isNoMatch, isNotFound } from '@/server/kube';
import type { CommandDeps } from '../command-deps';

const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };

/** What may be written in an object of a kind, as JSON Schema; null where no definition of the cluster says it. */
export interface KindSchema {
  readonly schema: unknown;
}

/** Reads the schema of a kind from the definition that brings it: Kubernetes tells schemas to whoever is signed in. */
export async function readKindSchema({ auth, cluster }: CommandDeps, session: Session, { apiVersion, kind }: TypeRef): Promise<KindSchema> {
  await auth.authorise(session, { kind: 'see-self' });
  const [group, version = ''] = [groupOf(apiVersion), apiVersion.split('/').at(-1)];
  try {
    const { plural } = await findResource(cluster.discovery, { group, named: kind, version });
    const definition = await cluster.get({ ...DEFINITION, name: `${plural}.${group}` });
    const served = readList(definition, 'spec', 'versions').find((one) => readString(one, 'name') === version);
    const schema = readFields(served, 'schema', 'openAPIV3Schema');
    return { schema: isFields(schema) && Object.keys(schema).length > 0 ? schema : null };
  } catch (error) {
    // Kinds of Kubernetes itself have no definition, and one that is being typed is none yet.
    if (isNotFound(error) || isNoMatch(error)) return { schema: null };
    throw error;
  }
}
