import { fromCatalogue } from './catalogue/catalogue';

const MOST_NAMED = 3;

/** Some namespaces by name, in order, and how many more there are. */
export function sayNamespaces(namespaces: readonly string[]): string {
  const named = [...namespaces].sort().slice(0, MOST_NAMED).join(', ');
  const others = namespaces.length - MOST_NAMED;
  return fromCatalogue(`namespace${namespaces.length === 1 ? '' : 's'} ${named}${others > 0 ? ` and ${others} more` : ''}`);
}
