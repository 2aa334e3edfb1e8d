/** The folder that holds initdb and postgres, and where it came from; throws a sentence when none can be had. */
export function findPostgres(): { readonly folder: string; readonly from: string };
