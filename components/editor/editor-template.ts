import { t } from '@/lib/words/catalogue/delivery/editor';
/** What a new application starts from: a service that is rolled out in stages. */
export const TEMPLATE = t.apiVersionCoreOamDevV1beta1;
