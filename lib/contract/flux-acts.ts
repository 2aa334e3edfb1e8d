import { z } from 'zod';
import { FLUX_KIND_NAMES, FLUX_SOURCE_NAMES, FLUX_VERBS } from './flux-kind';

const name = z.string().min(1).max(253);

/** A source as the page showed it. */
export const shownSource = z.strictObject({ kind: z.enum(FLUX_SOURCE_NAMES), ns: name, name, uid: z.string().min(1) });
export type ShownSource = z.infer<typeof shownSource>;

/** What a person asks of Flux, as the screen sends it. */
export const fluxActRequest = z.strictObject({
  kind: z.enum(FLUX_KIND_NAMES),
  verb: z.enum(FLUX_VERBS),
  /** uid and generation of what was seen; another object or another spec there now is a conflict. */
  uid: z.string().min(1),
  generation: z.number().int().min(0),
  /** Of a reconciliation: the sources that are fetched first, from the chart down. */
  sources: z.array(shownSource).max(4).optional(),
  reason: z.string().trim().max(2000).optional(),
});
export type FluxActRequest = z.infer<typeof fluxActRequest>;

/** What the signed-in person may ask, verb by verb; null means allowed, else the sentence. */
export const fluxRights = z.record(z.enum(FLUX_VERBS), z.string().nullable());
export type FluxRights = z.infer<typeof fluxRights>;
