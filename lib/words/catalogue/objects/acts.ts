import { catalogue } from '../catalogue';

/** What dialogs that act on objects says. */
export const t = catalogue({
  actsWait: (reason: string) => `Actions are blocked: ${reason}`,
  actions: 'Actions',
  withYourPermissionsAndOn: 'This runs with your permissions and is recorded first.',
  sending: 'Sending…',
  computingThePreview: 'Computing the preview…',
  replicas: 'Replicas',
  notDoneAfterAll: (done: string) => `${done} Not done:`,
  enterTheNumberOfReplicas: 'Enter the number of replicas.',
  thePreviewIsBeingComputed: 'The preview is being computed.',
  thePreviewIsMissing: 'The preview could not be computed.',
  noneOfItIsAllowed: 'None of this is allowed; see the reasons above.',
  nothingElseGoesWithIt: 'nothing else is affected, as far as is known',
  in: (ns: string) => `in ${ns}`,
  whatHappens: 'What happens',
  edit: 'Edit',
  editOf: (kind: string, name: string) => `Edit ${kind} ${name}`,
  objects: 'Objects',
});
