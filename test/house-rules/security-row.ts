/** A row of docs/security.md by how it begins, the title of a test that attacks, and that of one in which the legitimate use works; often the same test does both. */
export type SecurityRow = readonly [attack: string, attacked: string, works: string];

/** A title that tells of both. */
export const both = (attack: string, title: string): SecurityRow => [attack, title, title];
