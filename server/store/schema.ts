import { sql } from 'drizzle-orm';
import { bigint, bigserial, boolean, doublePrecision, index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';

// Times are ISO-8601 text in UTC, which sorts as it reads and comes back exactly as it was written, on every driver.

/** Who is signed in. The cookie itself is never here: rows are found by its hash. */
export const sessions = pgTable(
  'sessions',
  {
    cookieHash: text('cookie_hash').primaryKey(),
    user: text('user_name').notNull(),
    groups: jsonb('groups').$type<readonly string[]>().notNull(),
    uid: text('uid'),
    mode: text('mode', { enum: ['local', 'token', 'oidc'] }).notNull(),
    mayInvite: boolean('may_invite').notNull(),
    /** A cluster token, encrypted with a key that only the cookie yields. */
    sealedToken: text('sealed_token'),
    createdAt: text('created_at').notNull(),
    expiresAt: text('expires_at').notNull(),
    /** Of a command, which takes no place among those of browsers. */
    isCommand: boolean('is_command').notNull().default(false),
    /** Names it to people; nothing of the cookie follows from it. A replica of an older version writes none. */
    handle: text('handle').notNull().default(sql`gen_random_uuid()::text`),
    /** The address that it began at. */
    address: text('address'),
    /** What began it, as it calls itself. */
    agent: text('agent'),
    lastUsedAt: text('last_used_at'),
    /** Set once it is over; the row stays for some minutes, so that other replicas hear of it. */
    endedAt: text('ended_at'),
  },
  (table) => [
    index('sessions_expires_at').on(table.expiresAt),
    index('sessions_ended_at').on(table.endedAt),
    index('sessions_user').on(table.user),
    uniqueIndex('sessions_handle').on(table.handle),
  ],
);

/** The record. Rows are only ever added; each carries the hash of the one before. */
export const audit = pgTable(
  'audit',
  {
    seq: bigint('seq', { mode: 'number' }).primaryKey(),
    id: text('id').notNull().unique(),
    at: text('at').notNull(),
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    apiVersion: text('api_version').notNull(),
    kind: text('kind').notNull(),
    namespace: text('namespace'),
    name: text('name').notNull(),
    message: text('message').notNull(),
    /** JSON text, kept as text because the hash covers it to the letter. */
    data: text('data'),
    previous: text('previous').notNull(),
    hash: text('hash').notNull(),
  },
  // Each in the order of the chain, in which a page of the record is read.
  (table) => [
    index('audit_namespace').on(table.namespace, table.seq),
    index('audit_actor').on(table.actor, table.seq),
    index('audit_action').on(table.action, table.seq),
  ],
);

/** Keys that signed heads of the record. Public ones only: private keys are never in the store. */
export const auditKeys = pgTable('audit_keys', {
  /** SPKI in base64. */
  publicKey: text('public_key').primaryKey(),
  since: text('since').notNull(),
  /** The key that it took the place of, and that vouches for it. */
  endorsedBy: text('endorsed_by'),
  endorsement: text('endorsement'),
});

/** What was shown of changes before they were made, by the digest of its plan. */
export const previews = pgTable(
  'previews',
  {
    digest: text('digest').primaryKey(),
    namespace: text('namespace').notNull(),
    name: text('name').notNull(),
    at: text('at').notNull(),
    by: text('by_user').notNull(),
    /** The application that it was made on, as text without the values of Secrets. */
    base: text('base').notNull(),
    /** JSON text, without the values of Secrets. */
    preview: text('preview').notNull(),
  },
  (table) => [index('previews_at').on(table.at)],
);

/** Secrets of the server that replicas share and that outlive it, by what they are for. */
export const serverKeys = pgTable('server_keys', {
  purpose: text('purpose').primaryKey(),
  key: text('key').notNull(),
});

/** Bounds and figures of revisions over time. */
export const scaleSamples = pgTable(
  'scale_samples',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    /** namespace/revision. */
    key: text('key').notNull(),
    at: text('at').notNull(),
    stageMin: doublePrecision('stage_min'),
    stageMax: doublePrecision('stage_max'),
    desired: doublePrecision('desired'),
    actual: doublePrecision('actual'),
  },
  (table) => [index('scale_samples_key_at').on(table.key, table.at), index('scale_samples_at').on(table.at)],
);
