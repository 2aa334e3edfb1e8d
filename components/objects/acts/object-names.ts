import type { ObjectPage } from '@/lib/contract/object-address';
import { CORE, kindHref } from '@/lib/contract/object-address';
import type { ObjectDetail } from '@/lib/contract/object-rows';
import { readEscapedName } from '@/lib/std/text/hidden-characters';
import { t } from '@/lib/words/catalogue/objects/acts';

/** What a request names an object by. */
export function typeOf({ of, ns, name }: ObjectDetail) {
  const apiVersion = of.group === '' || of.group === CORE ? of.version : `${of.group}/${of.version}`;
  return { apiVersion, kind: of.kind, name: readEscapedName(name), ...(ns === null ? {} : { ns }) };
}

/** The way to the page of an object. */
export function objectBreadcrumbs({ group, named, ns, version }: ObjectPage, data: ObjectDetail | undefined) {
  const href = kindHref({ group, named, version });
  const kind = { label: data?.of.plural ?? named, href };
  const top = [{ label: t.objects, href: '/objects' }, kind];
  return ns === null ? top : [...top, { label: ns, href: `${href}${href.includes('?') ? '&' : '?'}ns=${ns}` }];
}
