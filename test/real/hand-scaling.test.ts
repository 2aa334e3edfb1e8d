import { defineHandScaling } from '../attacks/define-hand-scaling';
import { defineServedRevision } from '../attacks/define-served-revision';

defineHandScaling('real');
defineServedRevision('real');
