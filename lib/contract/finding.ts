import { z } from 'zod';

export const FINDING_AREAS = ['modes', 'definitions', 'policies', 'rights', 'watches', 'programs', 'record'] as const;

/** Something about the installation that is not in order. */
export const finding = z.object({
  area: z.enum(FINDING_AREAS),
  /** The engine, kind, policy, resource or program that it is about. */
  subject: z.string(),
  /** What was found, and what follows from it. */
  sentence: z.string(),
  /** The command that mends it; null where there is none to give. */
  remedy: z.string().nullable(),
});
export type Finding = z.infer<typeof finding>;

/** What the doctor answers: every finding, or none when all is in order. */
export const doctorReport = z.object({ findings: z.array(finding) });
