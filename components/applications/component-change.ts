import type { ComponentView } from '@/lib/contract/application-rows';

const MOST_REPLICAS = 10_000;

/** What was typed: a change, nothing to change yet, or something wrong. */
export type TypedChange =
  | { readonly kind: 'change'; readonly fields: { readonly image?: string; readonly replicas?: number } }
  | { readonly kind: 'same'; readonly sentence: string }
  | { readonly kind: 'wrong'; readonly sentence: string };

/** Reads what was typed about a component; only what differs is sent. */
export function readChange(component: ComponentView, typed: { readonly image: string; readonly replicas: string }): TypedChange {
  const image = typed.image.trim();
  const text = typed.replicas.trim();
  if (component.image !== null && image === '') return { kind: 'wrong', sentence: 'An image is needed.' };
  if (component.replicas !== null && !(/^\d+$/.test(text) && Number(text) <= MOST_REPLICAS)) {
    return { kind: 'wrong', sentence: `Replicas are a whole number from 0 to ${MOST_REPLICAS}, not “${text}”.` };
  }
  const fields = {
    ...(component.image !== null && image !== component.image ? { image } : {}),
    ...(component.replicas !== null && Number(text) !== component.replicas ? { replicas: Number(text) } : {}),
  };
  return Object.keys(fields).length === 0 ? { kind: 'same', sentence: 'Nothing has changed.' } : { kind: 'change', fields };
}

/** What a change of a component leads to, a sentence each. */
export function consequencesOfChange(component: ComponentView): readonly string[] {
  return component.rolledOut
    ? [
        'A new revision of the application is created with no replicas.',
        'It takes over replicas and traffic stage by stage and waits at each gate of the policy.',
        'Nothing is deleted before the end of the rollout, and you see exactly what.',
      ]
    : ['A new revision of the application is created and applied at once.', 'What only the old revision had is deleted when the new one is applied.'];
}
