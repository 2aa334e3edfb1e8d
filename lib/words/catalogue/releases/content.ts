import { catalogue } from '../catalogue';

/** What the content of a stored revision says. */
export const t = catalogue({
  readingTheRevisions: 'Reading the revisions that Helm stored.',
  noRevision: 'Helm has stored no revision of this release.',
  contentOf: (revision: number) => `Content of revision ${revision}`,
  revisionToShow: 'Revision to show',
  revision: (revision: number, status: string) => `Revision ${revision}, ${status}`,
  readingTheContent: 'Reading what Helm stored for this revision.',
  values: 'Values',
  noValues: 'The revision sets no values: the defaults of the chart apply.',
  someAreMasked: 'Values that are not in the resource are masked, here and in the manifest.',
  allAreMasked:
    'All values are masked, here and in the manifest: the resource that declared the release is gone, and it is unknown which came from a Secret.',
  notes: 'Notes',
  notesAreHidden: 'You may not read the notes: they require the right to get what Helm stored.',
  noNotes: 'The chart has no notes.',
  manifest: 'Manifest',
  noObjects: 'The revision has no objects.',
  in: (ns: string) => `in ${ns}`,
  tooLong: 'Not shown: the manifest is too long.',
  mayNotSee: 'You may not see this object.',
  manifestOf: (kind: string, name: string) => `Manifest of ${kind} ${name}`,
  show: 'Show',
  hide: 'Hide',
});
