'use client';

import { Skeleton } from '@/components/ui/data/skeleton';
import { lazyOnDemand } from '@/components/ui/overlay/lazy/lazy-module';
import { LazyPart } from '@/components/ui/overlay/lazy/lazy-part';
import type { EditorFieldProps } from './editor-field';

const editorField = lazyOnDemand(async () => (await import('./editor-field')).EditorField);

/** The field of an editor, which comes after its page. */
export function LazyEditorField(props: EditorFieldProps) {
  return (
    <LazyPart part={editorField} pending={<Skeleton height="h-[50dvh]" className="m-3" />}>
      {(EditorField) => <EditorField {...props} />}
    </LazyPart>
  );
}
