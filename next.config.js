/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // The engine lives in the server's own module graph; what it needs must never be bundled into a page.
  serverExternalPackages: ['@electric-sql/pglite', '@kubernetes/client-node', 'pg', 'pino'],
  devIndicators: false,
  // `npm run check` checks types, tests included; a start must not wait for that.
  typescript: { ignoreBuildErrors: true },
};

export default config;
