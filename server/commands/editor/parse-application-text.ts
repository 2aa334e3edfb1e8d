import { AppError } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import { requireRenderable } from '@/server/application';
import { parseManifest } from '../manifest-text';
import { refuseMisplacedMasks } from './kept-values';

/** Reads the application of an editor's text; throws invalid with a sentence for anything else. */
export function parseApplicationText(text: string, deepest?: number): KubeObject {
  const object = parseManifest(text, deepest);
  if (groupOf(object.apiVersion) !== 'core.oam.dev' || object.kind !== KINDS.application.kind) {
    throw new AppError(
      'invalid',
      `the manifest must be an Application of ${KINDS.application.apiVersion}, found ${object.kind} of ${object.apiVersion}`,
    );
  }
  refuseMisplacedMasks(object);
  // What cannot be rendered is refused here, before it is written, and not by the engine afterwards.
  return requireRenderable(object).object;
}
