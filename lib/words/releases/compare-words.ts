import { t } from '@/lib/words/catalogue/releases/compare';

/** Whether a release contains a commit. */
export const COMMIT_WORD = {
  taken: t.taken,
  waiting: t.waiting,
  unknown: t.unknown,
} as const;

/** What the chart at its head makes of an object that is stored. */
export const HEAD_WORD = {
  same: t.same,
  created: t.new,
  changed: t.changed,
  deleted: t.deleted,
  unknown: t.notRendered,
} as const;

/** How an object is live beside what is stored of it. */
export const LIVE_WORD = {
  same: t.asReleased,
  differs: t.differs,
  missing: t.missing,
  new: t.notReleased,
  unknown: t.notRead,
  hidden: t.noAccess,
} as const;
