import { defineHandScaling } from '../attacks/define-hand-scaling';

defineHandScaling('real');
