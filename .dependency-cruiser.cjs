// The rooms of the house and what each may import (docs/decisions/0001-the-house.md). An import that is not listed fails the build.
// Room names are paths below the root; `lib` stands for all of lib/.
const ROOMS = {
  'lib/std': [],
  'lib/kube': ['lib/std'],
  'lib/contract': ['lib/kube', 'lib/std'],
  'lib/words': ['lib/std'],
  'components/ui': ['lib'],
  'components/charts': ['components/ui', 'lib'],
  'components/live': ['components/ui', 'lib'],
  // List and graph of what an application consists of: parts of its page (record 0117).
  'components/graph': ['components/ui', 'components/live', 'lib'],
  'components/tree': ['components/ui', 'components/live', 'lib'],
  app: ['components', 'lib', 'server/runtime.ts'],
  'server/platform': ['lib'],
  'server/kube': ['server/platform', 'lib'],
  'server/embedded': ['server/kube', 'server/platform', 'lib'],
  'server/framework': ['server/kube', 'server/platform', 'lib'],
  'server/status': ['server/kube', 'server/platform', 'lib'],
  'server/dispatch': ['server/framework', 'server/status', 'server/kube', 'server/platform', 'lib'],
  'server/rollout': ['server/framework', 'server/status', 'server/kube', 'server/platform', 'lib'],
  'server/outbound': ['server/platform', 'lib'],
  // What Flux drives is told here, and asked of Flux as a person: nothing of it is driven (record 0093).
  'server/flux': ['server/kube', 'server/platform', 'lib'],
  'server/chartsync': ['server/outbound', 'server/framework', 'server/status', 'server/dispatch', 'server/kube', 'server/platform', 'lib'],
  'server/application': ['server/dispatch', 'server/rollout', 'server/status', 'server/framework', 'server/kube', 'server/platform', 'lib'],
  'server/store': ['server/platform', 'lib'],
  'server/auth': ['server/store', 'server/kube', 'server/platform', 'lib'],
  'server/commands': [
    'server/chartsync', // whether a release would be uninstalled is told there (design 14)
    'server/auth',
    'server/store',
    'server/application',
    'server/dispatch',
    'server/flux',
    'server/rollout',
    'server/status',
    'server/kube',
    'server/platform',
    'lib',
  ],
  'server/readmodel': [
    'server/application',
    'server/chartsync',
    'server/dispatch',
    'server/flux',
    'server/rollout',
    'server/status',
    'server/framework',
    'server/store',
    'server/kube',
    'server/platform',
    'lib',
  ],
  'server/realtime': ['server/readmodel', 'server/auth', 'server/platform', 'lib'],
  'server/api': ['server/chartsync', 'server/commands', 'server/readmodel', 'server/status', 'server/auth', 'server/platform', 'lib'],
  'server/installation': ['server/framework', 'server/kube', 'server/platform', 'lib'],
  'server/demonstration': ['server/kube', 'server/platform', 'lib'],
  // Its offline check of status rules asks the engine (record 0019); all else of it is a client of the API.
  'server/cli': ['server/status', 'server/platform', 'lib'],
};
const FEATURES = [
  'activity',
  'applications',
  'drift',
  'editor',
  'engine',
  'history',
  'inbox',
  'logs',
  'releases',
  'rollouts',
  'session',
  'shell',
  'terminal',
  'trackers',
];
for (const feature of FEATURES) ROOMS[`components/${feature}`] = ['components/ui', 'components/charts', 'components/live', 'lib'];
// An application's page holds its drift, and the editor leads back to the page (record 0107); no other feature knows a sibling.
ROOMS['components/applications'].push('components/drift', 'components/graph', 'components/tree');
ROOMS['components/editor'].push('components/applications');
// The first page has the figures of the last weeks, whose rows have a page of their own (record 0124).
ROOMS['components/inbox'].push('components/history');
// What was shown of a change of a release stands in the record as it stood in its editor (record 0180).
ROOMS['components/activity'].push('components/releases');
// What any object has stands on the pages of others as well: its events, its pods, what can be done about it (record 0114).
ROOMS['components/objects'] = ['components/ui', 'components/charts', 'components/live', 'lib'];
for (const feature of FEATURES) ROOMS[`components/${feature}`].push('components/objects');

const ROOTS = '^(app|components|lib|server)/';
const escapePath = (path) => path.replace(/[.]/g, '\\.');
const within = (room) => (room.endsWith('.ts') ? `^${escapePath(room)}$` : `^${escapePath(room)}/`);

const roomRules = Object.entries(ROOMS).map(([room, allowed]) => ({
  name: `room-${room.replace('/', '-')}`,
  severity: 'error',
  comment: `${room} may import ${allowed.join(', ') || 'nothing'}`,
  from: { path: within(room) },
  to: { path: ROOTS, pathNot: [within(room), ...allowed.map(within)] },
}));

const unlisted = {
  name: 'every-room-is-listed',
  severity: 'error',
  comment: 'a room that is not listed could import anything',
  from: { path: '^(components|lib|server)/[^/]+/', pathNot: Object.keys(ROOMS).map(within) },
  to: {},
};

// A server room is entered through its door, index.ts; the read model's types of a seam are part of it.
const doorRules = Object.keys(ROOMS)
  .filter((room) => room.startsWith('server/'))
  .map((room) => ({
    name: `door-${room.replace('/', '-')}`,
    severity: 'error',
    comment: `${room} is entered through ${room}/index.ts`,
    from: { path: '^(app|components|server)/', pathNot: within(room) },
    to: { path: within(room), pathNot: `^${room}/index\\.ts$` },
  }));

const only = (name, packages, rooms) => ({
  name: `only-${name}`,
  severity: 'error',
  comment: `only ${rooms.join(', ')} may import ${name}`,
  from: { path: ROOTS, pathNot: rooms.map(within) },
  to: { path: packages },
});

module.exports = {
  forbidden: [
    ...roomRules,
    ...doorRules,
    unlisted,
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'cycles hide the order of things',
      from: { path: ROOTS },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'nobody-imports-main', severity: 'error', from: {}, to: { path: '^server/main\\.ts$' } },
    { name: 'nobody-imports-test', severity: 'error', from: { pathNot: '^test/' }, to: { path: '^test/' } },
    {
      name: 'lib-is-isomorphic',
      severity: 'error',
      comment: 'both sides share lib',
      from: { path: '^lib/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'runtime-takes-types-only',
      severity: 'error',
      from: { path: '^server/runtime\\.ts$' },
      to: { path: '^server/', dependencyTypesNot: ['type-only'] },
    },
    only('recharts', 'node_modules/recharts', ['components/charts']),
    only('the canvas of the graph', 'node_modules/@xyflow', ['components/graph']),
    only('socket.io-client', 'node_modules/socket\\.io-client', ['components/live', 'server/cli/forward']),
    only('socket.io', 'node_modules/socket\\.io/', ['server/realtime']),
    only('the Kubernetes client', 'node_modules/@kubernetes/client-node', ['server/kube']),
    only('the database', 'node_modules/(drizzle-orm|@electric-sql|pg)/', ['server/store']),
    only('names of hosts', '^(node:)?dns(/promises)?$', ['server/outbound']),
    only('child processes', '^(node:)?child_process$', ['server/store', 'server/chartsync']),
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: ROOTS, pathNot: ['\\.d\\.ts$', '^app/', '^server/main\\.ts$'] },
      to: {},
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(\\.next|dist|node_modules)/' },
    tsPreCompilationDeps: true,
    webpackConfig: { fileName: 'scripts/resolve.cjs' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
