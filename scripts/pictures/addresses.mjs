// An address of each page of the console, and the name of its picture; what the demonstration makes anew each time is filled in.
import { readdirSync } from 'node:fs';

const APPLICATION = '/applications/shop/checkout';
const RELEASE = '/releases/platform/helmrelease/notifier';
const WORKLOAD = '/objects/apps/deployments/shop/checkout-v1';

/**
 * The pages by route, and views of them that look otherwise: picture and address. A route of app/ that is not here is refused, so no page goes without a picture.
 * @param {{ pod: string, older: string, newer: string }} made
 */
export function pagesOf({ pod, older, newer }) {
  const pages = {
    '/': ['inbox', '/'],
    '/activity': ['activity', '/activity'],
    '/applications': ['applications', '/applications'],
    '/applications/new': ['application-new', '/applications/new'],
    '/applications/[ns]/[name]': ['application', APPLICATION],
    '/applications/[ns]/[name]?view=graph': ['application-graph', `${APPLICATION}?view=graph`],
    '/applications/[ns]/[name]/compare': ['application-compare', `${APPLICATION}/compare?from=checkout-v1&to=checkout-v2`],
    '/applications/[ns]/[name]/edit': ['application-edit', `${APPLICATION}/edit`],
    '/applications/[ns]/[name]/ledger': ['ledger', `${APPLICATION}/ledger`],
    '/applications/[ns]/[name]/logs': ['application-logs', `${APPLICATION}/logs`],
    '/applications/[ns]/[name]/preview': ['application-preview', `${APPLICATION}/preview`],
    '/engine': ['engine', '/engine'],
    '/objects': ['kinds', '/objects'],
    '/objects/[group]/[plural]': ['objects', '/objects/apps/deployments'],
    '/objects/[group]/[plural]/[ns]/[name]': ['object', WORKLOAD],
    '/objects/[group]/[plural]/[ns]/[name]/edit': ['object-edit', `${WORKLOAD}/edit`],
    '/pods/[ns]/[name]/logs': ['pod-logs', `/pods/shop/${pod}/logs`],
    '/pods/[ns]/[name]/terminal': ['pod-terminal', `/pods/shop/${pod}/terminal`],
    '/releases': ['releases', '/releases'],
    '/releases/sources': ['release-sources', '/releases/sources'],
    '/releases/[ns]/[kind]/[name]': ['release', RELEASE],
    '/releases/[ns]/[kind]/[name]/edit': ['release-edit', `${RELEASE}/edit`],
    '/rollouts': ['rollouts', '/rollouts'],
    '/rollouts/history': ['rollout-history', '/rollouts/history'],
    '/rollouts/[ns]/[name]': ['rollout', '/rollouts/shop/checkout'],
    '/sessions': ['sessions', '/sessions'],
    '/trackers': ['trackers', '/trackers'],
    '/trackers/strays': ['strays', '/trackers/strays'],
    '/trackers/[name]': ['tracker', `/trackers/${older}`],
    '/trackers/[name]/compare/[other]': ['tracker-compare', `/trackers/${older}/compare/${newer}`],
    '/sign-in': ['sign-in', '/sign-in'],
  };
  const missing = routes().filter((route) => pages[route] === undefined);
  if (missing.length > 0) throw new Error(`scripts/pictures/addresses.mjs names no address of ${missing.join(', ')}`);
  return Object.values(pages).map(([name, address]) => ({ name, address }));
}

/** The routes of app/ that are pages. */
function routes() {
  return readdirSync('app', { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?:^|\/)page\.tsx$/.test(file))
    .map((file) => `/${file.replace(/\/?page\.tsx$/, '').replace(/^\(console\)\/?/, '')}`);
}
