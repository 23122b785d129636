// How a process with durable work and the engine find each other. The same names for every such process.
import { commaList, httpUrl } from './forms.ts';
import { optional } from './setting.ts';

export const ENGINE_SETTINGS = {
  engineAdminUrl: httpUrl({
    name: 'SVC_ENGINE_ADMIN_URL',
    about: 'Admin address of Restate.',
    fallback: 'http://127.0.0.1:9070',
  }),
  engineIngressUrl: httpUrl({
    name: 'SVC_ENGINE_INGRESS_URL',
    about: 'Ingress address of Restate.',
    fallback: 'http://127.0.0.1:8080',
  }),
  engineIdentityKeys: optional(
    commaList({
      name: 'SVC_ENGINE_IDENTITY_KEYS',
      about: 'Public keys (`publickeyv1_…`) of the engines that may call. Absent: whoever reaches the port.',
    }),
  ),
};
