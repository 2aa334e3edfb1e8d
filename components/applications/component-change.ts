import type { ComponentView } from '@/lib/contract/application-rows';
import { t } from '@/lib/words/catalogue/delivery/applications';

const MAX_REPLICAS = 10_000;

/** What was typed: a change, nothing to change yet, or something wrong. */
export type TypedChange =
  | { readonly kind: 'change'; readonly fields: { readonly image?: string; readonly replicas?: number } }
  | { readonly kind: 'same'; readonly sentence: string }
  | { readonly kind: 'wrong'; readonly sentence: string };

/** Reads what was typed about a component; only what differs is sent. */
export function readChange(component: ComponentView, typed: { readonly image: string; readonly replicas: string }): TypedChange {
  const image = typed.image.trim();
  const text = typed.replicas.trim();
  if (component.image !== null && image === '') return { kind: 'wrong', sentence: t.anImageIsNeeded };
  if (component.replicas !== null && !(/^\d+$/.test(text) && Number(text) <= MAX_REPLICAS)) {
    return { kind: 'wrong', sentence: t.replicasAreAWholeNumber(MAX_REPLICAS, text) };
  }
  const fields = {
    ...(component.image !== null && image !== component.image ? { image } : {}),
    ...(component.replicas !== null && Number(text) !== component.replicas ? { replicas: Number(text) } : {}),
  };
  return Object.keys(fields).length === 0 ? { kind: 'same', sentence: t.nothingHasChanged } : { kind: 'change', fields };
}

/** What a change of a component leads to, a sentence each. */
export function consequencesOfChange(component: ComponentView): readonly string[] {
  return component.rolledOut
    ? [t.aNewRevisionOfThe, t.itTakesOverReplicasAnd, t.nothingIsDeletedBeforeThe]
    : [t.aNewRevisionOfTheApplication, t.whatOnlyTheOldRevision];
}
