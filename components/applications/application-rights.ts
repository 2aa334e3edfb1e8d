import { refusalIn, useRights } from '@/components/live/rights';
import { outline } from '@/components/ui/editor/editor-outline';
import type { ApplicationVerb } from '@/lib/contract/application-rights';
import { applicationRights, createRights } from '@/lib/contract/application-rights';
import { objectPath } from '@/lib/contract/requests';

interface Place {
  readonly ns: string;
  readonly name: string;
}

/** Why the person may not do something with an application, or that it is being checked. Null when they may, and where it cannot be known: the server decides. */
export function useApplicationRefusal(place: Place | null, verb: ApplicationVerb): string | null {
  return refusalIn(useRights(place && { kind: 'application', ns: place.ns, name: place.name }, applicationRights), verb);
}

/** Why the person may create no application in any namespace, or that it is being checked; null when they may in one, and where it cannot be known. */
export function useCreateRefusal(): string | null {
  return refusalIn(useRights({ kind: 'applications' }, createRights), 'create');
}

/** Which application a text is about; null while it does not say. */
export function placeWritten(text: string): Place | null {
  const metadata = outline(text).children.find(({ name }) => name === 'metadata');
  const written = (key: string) => metadata?.children.find(({ name }) => name === key)?.value;
  const place = objectPath.safeParse({ ns: written('namespace'), name: written('name') });
  return place.success ? place.data : null;
}
