/** Whose acts rights are asked about: those on one rollout, on one application (there or not), or the creation of applications anywhere. */
export type RightsOf =
  | { readonly kind: 'rollout' | 'application'; readonly ns: string; readonly name: string }
  | { readonly kind: 'applications' };

/** What somebody may do, verb by verb: null where they may, else the sentence why not; beside the verbs, commands that give what is missing. */
export type Refusals = Readonly<Record<string, string | null | readonly string[]>>;

/** What of it is a verb. */
export type RefusableVerb<Known extends Refusals> = {
  [Verb in keyof Known]: Known[Verb] extends string | null ? Verb : never;
}[keyof Known] &
  string;

/** Where in the API they are read. */
export function rightsPath(of: RightsOf): string {
  if (of.kind === 'applications') return '/api/v1/applications/rights';
  return `/api/v1/namespaces/${encodeURIComponent(of.ns)}/${of.kind}s/${encodeURIComponent(of.name)}/rights`;
}
