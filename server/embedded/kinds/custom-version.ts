import type { KubeObject } from '@/lib/kube/object';
import type { FieldError } from '../api/failures';
import type { Draft } from './draft';

/** A column that a definition adds to tables. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** Where a custom kind keeps what the scale subresource shows. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** One version of a custom resource: its schema at work, and its subresources. */
export interface CustomVersion {
  readonly hasStatus: boolean;
  readonly scale?: ScalePaths;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
  /** The schema as declared, for OpenAPI. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Drops what the schema does not name and fills its defaults; gives the paths of what was dropped. */
  complete(object: Draft): readonly string[];
  /** A stored object as this schema has it; one that was stored under another schema may hold more, and lack defaults. */
  readonly asRead?: (stored: KubeObject) => KubeObject;
  validate(object: Draft, previous: KubeObject | undefined): readonly FieldError[];
  /** The same for a write of the status alone. */
  validateStatus(object: Draft, previous: KubeObject | undefined): readonly FieldError[];
}
