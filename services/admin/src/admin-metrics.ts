// Metrics of the admin service. Labels are few and fixed: names of actions, never ids.
import { ADMIN_ROUTES } from '@svc-pay/runtime/http/admin-routes';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { AnsweredAction } from './admin-app.ts';

export type AdminMetrics = {
  readonly registry: Registry;
  readonly answered: (action: AnsweredAction, status: number) => void;
  readonly headsExported: (result: 'signed' | 'failed') => void;
};

export function createAdminMetrics(): AdminMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'admin_requests_total',
    help: 'Requests answered, by action',
    labelNames: ['action', 'status'] as const,
    registers,
  });
  for (const action of [...Object.keys(ADMIN_ROUTES), 'makeSessionKey', 'getOperatorReport'])
    requests.inc({ action, status: '401' }, 0);
  const exports = new Counter({
    name: 'audit_exports_total',
    help: 'Times that the heads of the audit record were signed, or could not be',
    labelNames: ['result'] as const,
    registers,
  });
  for (const result of ['signed', 'failed']) exports.inc({ result }, 0);
  return {
    registry,
    answered: (action, status) => requests.inc({ action, status }),
    headsExported: (result) => exports.inc({ result }),
  };
}
