import type { Act, Right } from '../act';

/** What somebody needs to whom a pod is opened. */
export function podRights({ kind, ns, pod }: Extract<Act, { readonly kind: 'open-terminal' | 'forward-ports' }>): readonly Right[] {
  const at = { group: '', resource: 'pods', namespace: ns, name: pod };
  return [
    { verb: 'get', ...at },
    { verb: 'create', ...at, subresource: kind === 'open-terminal' ? 'exec' : 'portforward' },
  ];
}
