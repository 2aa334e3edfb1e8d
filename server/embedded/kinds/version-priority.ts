/** Orders versions as servers prefer them: v2 before v1 before v1beta2 before v1alpha1. */
export function byVersionPriority(left: string, right: string): number {
  const parts = (text: string) => /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(text);
  const [a, b] = [parts(left), parts(right)];
  if (!a || !b) return left < right ? -1 : 1;
  const stage = (of: RegExpExecArray) => (of[2] === undefined ? 2 : of[2] === 'beta' ? 1 : 0);
  return stage(b) - stage(a) || Number(b[1]) - Number(a[1]) || Number(b[3] ?? 0) - Number(a[3] ?? 0);
}
