import { refusalIn, useRights } from '@/components/live/rights';
import type { ApplicationVerb } from '@/lib/contract/application-rights';
import { applicationRights, createRights } from '@/lib/contract/application-rights';

interface Place {
  readonly ns: string;
  readonly name: string;
}

/** Why the person may not do something with an application, or that it is being checked. Null when they may, and where it cannot be known: the server decides. */
export function useApplicationRefusal(place: Place | null, verb: ApplicationVerb): string | null {
  return refusalIn(useRights(place && { kind: 'application', ns: place.ns, name: place.name }, applicationRights), verb);
}

/** Why the person may create no application in any namespace, and the commands that let them; null while that is not known. */
export function useMissingCreate(): { readonly sentence: string; readonly commands: readonly string[] } | null {
  const rights = useRights({ kind: 'applications' }, createRights);
  if (typeof rights === 'string' || rights.create === null) return null;
  return { sentence: rights.create, commands: rights.grant };
}

/** Why the person may create no application in any namespace, or that it is being checked; null when they may in one, and where it cannot be known. */
export function useCreateRefusal(): string | null {
  return refusalIn(useRights({ kind: 'applications' }, createRights), 'create');
}
