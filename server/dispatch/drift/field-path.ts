/** One step to a field: a member, an entry of a list under its key, a plain value of a set, or a place in a list. */
export type PathStep = string | number | { readonly key: string; readonly value: unknown } | { readonly item: unknown };

const PLAIN = /^[A-Za-z_$][\w$-]*$/;

/** A path as people read it: `spec.template.spec.containers[name=web].image`, `metadata.labels["app.oam.dev/name"]`. */
export function formatPath(steps: readonly PathStep[]): string {
  return steps.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (typeof step === 'object') return 'key' in step ? `${text}[${step.key}=${plain(step.value)}]` : `${text}[${plain(step.item)}]`;
    if (!PLAIN.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
