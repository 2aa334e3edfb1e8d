import { outline } from '@/components/ui/editor/editor-outline';
import { objectPath } from '@/lib/contract/requests';

/** Which application a text is about; null while it does not say. */
export function applicationOfText(text: string): { readonly ns: string; readonly name: string } | null {
  const metadata = outline(text).children.find(({ name }) => name === 'metadata');
  const written = (key: string) => metadata?.children.find(({ name }) => name === key)?.value;
  const place = objectPath.safeParse({ ns: written('namespace'), name: written('name') });
  return place.success ? place.data : null;
}
