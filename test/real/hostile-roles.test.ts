import { defineHostileRoles } from '../attacks/define-hostile-roles';

defineHostileRoles('real');
