// Settings by which a process with durable work and the engine find each other; the same names in every such process.
import { commaList, httpUrls } from './forms.ts';
import { optional } from './setting.ts';

export const ENGINE_SETTINGS = {
  engineAdminUrls: httpUrls({
    name: 'SVC_ENGINE_ADMIN_URL',
    about: 'Admin addresses of Restate, one per node. The process asks the next node when one does not answer.',
    fallback: 'http://127.0.0.1:9070',
  }),
  engineIngressUrls: httpUrls({
    name: 'SVC_ENGINE_INGRESS_URL',
    about: 'Ingress addresses of Restate, one per node. The process asks the next node when one does not answer.',
    fallback: 'http://127.0.0.1:8080',
  }),
  engineIdentityKeys: optional(
    commaList({
      name: 'SVC_ENGINE_IDENTITY_KEYS',
      about:
        'Public keys (`publickeyv1_…`) of the Restate servers that may call this process. Required beside a live network and for live deliveries. Absent: the process accepts every caller that reaches the port.',
    }),
  ),
};
