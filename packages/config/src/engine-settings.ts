// How a process with durable work and the engine find each other. The same names for every such process.
import { commaList, httpUrls } from './forms.ts';
import { optional } from './setting.ts';

export const ENGINE_SETTINGS = {
  engineAdminUrls: httpUrls({
    name: 'SVC_ENGINE_ADMIN_URL',
    about: 'Admin addresses of Restate, one per node. The next is asked when one does not answer.',
    fallback: 'http://127.0.0.1:9070',
  }),
  engineIngressUrls: httpUrls({
    name: 'SVC_ENGINE_INGRESS_URL',
    about: 'Ingress addresses of Restate, likewise.',
    fallback: 'http://127.0.0.1:8080',
  }),
  engineIdentityKeys: optional(
    commaList({
      name: 'SVC_ENGINE_IDENTITY_KEYS',
      about: 'Public keys (`publickeyv1_…`) of the engines that may call. Absent: whoever reaches the port.',
    }),
  ),
};
