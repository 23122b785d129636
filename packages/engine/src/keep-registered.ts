// The engine sends new work to the process that registered last. Of several processes with the same work one is on duty
// and the others stand by. A process that stands by checks each second that the engine knows the work and its owner answers. The
// one on duty checks as often for a minute, and again when a connection of the engine has ended; then more seldom, and asks for one
// of its services at a time.
import type { PeriodicJob } from '@svc-pay/core';
import { askEngine } from './ask-engine.ts';
import { JOB_KEY } from './job-key.ts';
import { endInvocation, findLost, isSilent, unlessRefused } from './orphans.ts';
import { LATEST_REST } from './periodic-job.ts';
import { createReach } from './reach.ts';
import { wakeBy } from './wake.ts';

export type Registration = {
  readonly register: () => Promise<void>;
  /** Checks once and acts on the result. Throws when the engine is out of reach. */
  readonly check: () => Promise<void>;
  /** How long to wait until the next check. */
  readonly pauseMs: () => number;
  /** Something may be wrong with the engine: checks are frequent for a while. */
  readonly suspect: () => void;
  /** Lets a job run now, and go on from there. */
  readonly startJob: (name: string) => Promise<void>;
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
  readonly jobs: readonly Pick<PeriodicJob, 'name' | 'everyMs' | 'rest'>[];
  readonly log: (event: EngineLogEvent, details: object) => void;
};

type Service = { readonly name: string; readonly deployment_id: string };
type Services = { readonly services: readonly Service[] };

const LOOK_MS = 1_000;
const CALM_LOOK_MS = 5_000;
const SUSPICION_MS = 10_000;
/** No job has run for this long beyond what the least patient of them may rest. */
const SILENCE_MS = 20_000;
/** An owner that does not answer so many checks in a row is gone: it may have no invocation that shows it. */
const SILENT_CHECKS = 3;
/**
 * During its first `SETTLING_MS` a process searches at every check and so finds what earlier processes left behind.
 * After that a process that has all the work searches only every `RARELY_MS`.
 */
const SETTLING_MS = 60_000;
const RARELY_MS = 30_000;

export function createRegistration(options: RegistrationOptions): Registration {
  const { url: uri, drains, log } = options;
  const jobs = options.jobs.map(({ name }) => name);
  const silenceMs =
    SILENCE_MS + Math.min(...options.jobs.map(({ everyMs, rest }) => LATEST_REST * (rest?.everyMs ?? everyMs)));
  const [admin, ingress] = [createReach(options.adminUrls), createReach(options.ingressUrls)];
  const wake = wakeBy(ingress);
  const names = [...drains, ...jobs];
  let own = '';
  let registered = false;
  let heardMs = performance.now();
  let registeredMs = performance.now();
  let searchedMs = 0;
  let suspectMs = Number.NEGATIVE_INFINITY;
  let hasAll = false;
  let silentChecks = 0;
  let turn = 0;

  const startJob = async (name: string) => {
    await ingress((url) => askEngine('POST', `${url}/${name}/${JOB_KEY}/start/send`));
  };
  const register = async () => {
    const { id } = (await admin((url) => askEngine('POST', `${url}/deployments`, { uri, force: true }))) as {
      id: string;
    };
    own = id;
    for (const name of jobs) await startJob(name);
    heardMs = performance.now();
  };

  /** The deployments that have the work; undefined when the engine has forgotten some of it. */
  const findOwners = async (): Promise<ReadonlySet<string> | undefined> => {
    const { services } = (await admin((url) => askEngine('GET', `${url}/services`))) as Services;
    const known = new Map(services.map(({ name, deployment_id }) => [name, deployment_id]));
    const owners = names.flatMap((name) => known.get(name) ?? []);
    return owners.length < names.length ? undefined : new Set(owners);
  };

  /** Services change hands together, by a registration: one tells of all, and each has its turn. */
  const isStillOwner = async (): Promise<boolean> => {
    turn = (turn + 1) % names.length;
    const asked = admin((url) => askEngine('GET', `${url}/services/${names[turn]}`));
    return ((await unlessRefused(asked)) as Service | undefined)?.deployment_id === own;
  };

  const announce = async () => {
    registered = false;
    await register();
    registered = true;
    registeredMs = performance.now();
    log('engine_registered', { url: uri, deploymentId: own });
  };

  const isSettled = () => hasAll && performance.now() - registeredMs > SETTLING_MS;
  const isCalm = () => isSettled() && performance.now() - suspectMs > SUSPICION_MS;

  /** The search is the most expensive query for the engine. */
  const isTimeToSearch = (): boolean => !isSettled() || performance.now() - searchedMs >= RARELY_MS;

  const isSilenceLong = () => jobs.length > 0 && performance.now() - heardMs > silenceMs;

  /** Whether an owner of the work did not answer for some checks in a row. */
  const isOwnerGone = async (owners: ReadonlySet<string>): Promise<boolean> => {
    const others = [...owners].filter((owner) => owner !== own);
    const silent = await Promise.all(others.map((owner) => isSilent(admin, owner)));
    silentChecks = silent.includes(true) ? silentChecks + 1 : 0;
    return silentChecks >= SILENT_CHECKS;
  };

  const check = async () => {
    if (isCalm() && !isTimeToSearch() && !isSilenceLong() && (await isStillOwner())) return;
    const owners = registered ? await findOwners() : undefined;
    hasAll = owners?.size === 1 && owners.has(own);
    if (owners === undefined || (isSilenceLong() && owners.has(own))) return announce();
    if (await isOwnerGone(owners)) {
      log('engine_work_taken_over', { deploymentIds: [...owners].filter((owner) => owner !== own), invocations: 0 });
      silentChecks = 0;
      await announce();
    }
    if (!isTimeToSearch()) return;
    searchedMs = performance.now();
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
    pauseMs: () => (isCalm() ? CALM_LOOK_MS : LOOK_MS),
    suspect: () => {
      suspectMs = performance.now();
    },
    startJob,
    heard: () => {
      heardMs = performance.now();
    },
    isRegistered: () => registered,
  };
}
