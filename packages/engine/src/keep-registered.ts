// The engine sends new work to the process that registered last. Of several processes with the same work one is on duty
// and the others stand by. Every process checks each second that the engine knows the work and its owner answers.

import { askEngine } from './ask-engine.ts';
import { JOB_KEY } from './job-key.ts';
import { endInvocation, findLost } from './orphans.ts';
import { createReach } from './reach.ts';
import { wakeBy } from './wake.ts';

export type Registration = {
  readonly register: () => Promise<void>;
  /** Checks once and acts on the result. Throws when the engine is out of reach. */
  readonly check: () => Promise<void>;
  /** Tells the registration that a periodic job ran in this process. */
  readonly heard: () => void;
  readonly isRegistered: () => boolean;
};

/** Codes of the log event catalogue, which holds their levels and messages. */
export type EngineLogEvent =
  | 'engine_debug'
  | 'engine_error'
  | 'engine_registered'
  | 'engine_unreachable'
  | 'engine_warning'
  | 'engine_work_taken_over';

type RegistrationOptions = {
  readonly adminUrls: readonly string[];
  readonly ingressUrls: readonly string[];
  /** Address under which the engine reaches this process. */
  readonly url: string;
  readonly drains: readonly string[];
  readonly jobs: readonly string[];
  readonly log: (event: EngineLogEvent, details: object) => void;
};

type Services = { readonly services: readonly { readonly name: string; readonly deployment_id: string }[] };

const SILENCE_MS = 20_000;
/**
 * During its first `SETTLING_MS` a process searches at every check and so finds what earlier processes left behind.
 * After that a process that has all the work searches only every `RARELY_MS`.
 */
const SETTLING_MS = 60_000;
const RARELY_MS = 10_000;

export function createRegistration(options: RegistrationOptions): Registration {
  const { url: uri, drains, jobs, log } = options;
  const [admin, ingress] = [createReach(options.adminUrls), createReach(options.ingressUrls)];
  const wake = wakeBy(ingress);
  const names = [...drains, ...jobs];
  let own = '';
  let registered = false;
  let heardMs = performance.now();
  let registeredMs = performance.now();
  let searchedMs = 0;

  const register = async () => {
    const { id } = (await admin((url) => askEngine('POST', `${url}/deployments`, { uri, force: true }))) as {
      id: string;
    };
    own = id;
    for (const name of jobs) await ingress((url) => askEngine('POST', `${url}/${name}/${JOB_KEY}/start/send`));
    heardMs = performance.now();
  };

  /** The deployments that have the work; undefined when the engine has forgotten some of it. */
  const findOwners = async (): Promise<ReadonlySet<string> | undefined> => {
    const { services } = (await admin((url) => askEngine('GET', `${url}/services`))) as Services;
    const known = new Map(services.map(({ name, deployment_id }) => [name, deployment_id]));
    const owners = names.flatMap((name) => known.get(name) ?? []);
    return owners.length < names.length ? undefined : new Set(owners);
  };

  const announce = async () => {
    registered = false;
    await register();
    registered = true;
    registeredMs = performance.now();
    log('engine_registered', { url: uri, deploymentId: own });
  };

  /** The search is the most expensive query for the engine. */
  const isTimeToSearch = (owners: ReadonlySet<string>): boolean => {
    const nowMs = performance.now();
    const hasAll = owners.size === 1 && owners.has(own);
    if (hasAll && nowMs - registeredMs > SETTLING_MS && nowMs - searchedMs < RARELY_MS) return false;
    searchedMs = nowMs;
    return true;
  };

  const check = async () => {
    const owners = registered ? await findOwners() : undefined;
    const silent = jobs.length > 0 && performance.now() - heardMs > SILENCE_MS;
    if (owners === undefined || (silent && owners.has(own))) return announce();
    if (!isTimeToSearch(owners)) return;
    const { deployments, orphans } = await findLost(admin, names, own);
    if (deployments.size === 0) return;
    log('engine_work_taken_over', { deploymentIds: [...deployments], invocations: orphans.length });
    if ([...owners].some((owner) => deployments.has(owner))) await announce();
    for (const { id, name, key } of orphans) {
      await endInvocation(admin, id);
      if (drains.includes(name)) await wake(name, key);
    }
  };

  return {
    register,
    check,
    heard: () => {
      heardMs = performance.now();
    },
    isRegistered: () => registered,
  };
}
