import { definePermissionHouse } from './permission-house';

definePermissionHouse('embedded');
