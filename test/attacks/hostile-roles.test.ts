import { defineHostileRoles } from './define-hostile-roles';

defineHostileRoles('embedded');
