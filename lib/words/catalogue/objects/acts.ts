import { catalogue } from '../catalogue';

/** What dialogs that act on objects says. */
export const t = catalogue({
  actsWait: (reason: string) => `Acts wait: ${reason}`,
  actions: 'Actions',
  withYourPermissionsAndOn: 'With your permissions, and on record before it happens.',
  sending: 'Sending…',
  computingThePreview: 'Computing the preview…',
  replicas: 'Replicas',
  notDoneAfterAll: (done: string) => `${done} Not done after all:`,
  sayHowManyReplicas: 'Say how many replicas.',
  thePreviewIsBeingComputed: 'The preview is being computed.',
  noneOfItIsAllowed: 'None of it is allowed; the reasons stand above.',
  nothingElseGoesWithIt: 'nothing else goes with it, as far as is known',
  in: (ns: string) => `in ${ns}`,
  whatHappens: 'What happens',
  edit: 'Edit',
  editOf: (kind: string, name: string) => `Edit ${kind} ${name}`,
  objects: 'Objects',
});
