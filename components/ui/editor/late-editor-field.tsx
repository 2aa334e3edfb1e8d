'use client';

import { Skeleton } from '@/components/ui/data/skeleton';
import { onDemand } from '@/components/ui/overlay/late/late';
import { LatePart } from '@/components/ui/overlay/late/late-part';
import type { EditorFieldProps } from './editor-field';

const editorField = onDemand(async () => (await import('./editor-field')).EditorField);

/** The field of an editor, which comes after its page. */
export function LateEditorField(props: EditorFieldProps) {
  return (
    <LatePart part={editorField} pending={<Skeleton height="h-[50dvh]" className="m-3" />}>
      {(EditorField) => <EditorField {...props} />}
    </LatePart>
  );
}
