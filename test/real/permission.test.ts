import { definePermissionHouse } from '../house/permission-house';

definePermissionHouse('real');
