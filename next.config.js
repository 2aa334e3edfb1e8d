/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // The engine lives in the server's own module graph; what it needs must never be bundled into a page.
  serverExternalPackages: ['@electric-sql/pglite', '@kubernetes/client-node', 'pg', 'pino'],
  devIndicators: false,
  turbopack: {
    rules: {
      '**/zod/v4/core/{to-json-schema,json-schema-processors}.js': {
        condition: { all: ['browser', 'foreign'] },
        loaders: ['./scripts/pages/no-json-schema.cjs'],
      },
    },
  },
  // No page uses it, and it would make and keep as many images as a stranger asks for.
  images: { unoptimized: true },
  // A worker has the policy of its own script, which loads others; it runs only if that script wants the isolation that its page has (proxy.ts).
  headers: async () => [
    // What a worker may reach is told by the policy of its own script.
    {
      source: '/offline-worker.js',
      headers: [
        { key: 'content-security-policy', value: "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'" },
      ],
    },
    {
      source: '/_next/static/:path*',
      headers: [
        { key: 'content-security-policy', value: "default-src 'none'; script-src 'self'; frame-ancestors 'none'" },
        { key: 'cross-origin-embedder-policy', value: 'require-corp' },
        { key: 'cross-origin-resource-policy', value: 'same-origin' },
      ],
    },
  ],
  // `npm run check` checks types, tests included; a start must not wait for that.
  typescript: { ignoreBuildErrors: true },
};

export default config;
