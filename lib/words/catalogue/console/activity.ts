import { catalogue } from '../catalogue';

/** What the record says. */
export const t = catalogue({
  when: 'When',
  who: 'Who',
  what: 'What',
  on: 'On',
  inWords: 'In words',
  activity: 'Activity',
  everyDecisionAndEveryChange: 'Every decision and every change by Slipway. Each entry contains the hash of the previous one.',
  export: 'Export',
  searchTheRecord: 'Search the record',
  namespace: 'Namespace',
  allNamespaces: 'All namespaces',
  readingTheRecord: 'Reading the record.',
  record: 'Record',
  entries: 'entries',
  noEntryMatches: 'No entry matches',
  changeTheSearchOrThe: 'Change the search or the filter above.',
  nothingOnRecordYet: 'Nothing on record yet',
  eachDecisionOfAPerson: 'Each decision of a person and each step of an engine is recorded here permanently.',
  in: (ns: string) => `in ${ns}`,
  checkingEveryEntry: 'Checking every entry…',
  verify: 'Verify',
  allEntriesAreIntact: (entries: number) => `All ${entries} entries are intact.`,
  unknown: 'unknown',
  theRecordIsBrokenAt: <A>(brokenAt: number | string, sentence: A) => ['The record is broken at entry ', brokenAt, '. ', sentence],
});
