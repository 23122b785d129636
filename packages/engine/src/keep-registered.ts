// The engine sends new work to whoever registered last. So of several processes with the same work one is on duty and the
// others stand by; each looks every second whether the engine still knows the work and whether its owner is there.
import { askEngine } from './ask-engine.ts';
import { endInvocation, findLost } from './orphans.ts';
import { createReach } from './reach.ts';
import { wakeBy } from './wake.ts';

export type Registration = {
  readonly register: () => Promise<void>;
  /** One look, and whatever has to follow from it. Throws when the engine is out of reach. */
  readonly look: () => Promise<void>;
  /** A pulse was heard. */
  readonly heard: () => void;
  readonly isRegistered: () => boolean;
};

type RegistrationOptions = {
  readonly adminUrls: readonly string[];
  readonly ingressUrls: readonly string[];
  /** Under which the engine reaches this process. */
  readonly url: string;
  readonly drains: readonly string[];
  readonly pulses: readonly string[];
  readonly log: (level: 'info' | 'warn', message: string) => void;
};

type Services = { readonly services: readonly { readonly name: string; readonly deployment_id: string }[] };

const PULSE_KEY = 'one';
const SILENCE_MS = 20_000;
/** What a process left behind that was here before is found in the first of these; whoever alone has all work looks rarely. */
const SETTLING_MS = 60_000;
const RARELY_MS = 10_000;

export function createRegistration(options: RegistrationOptions): Registration {
  const { url: uri, drains, pulses, log } = options;
  const [admin, ingress] = [createReach(options.adminUrls), createReach(options.ingressUrls)];
  const wake = wakeBy(ingress);
  const names = [...drains, ...pulses];
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
    for (const name of pulses) await ingress((url) => askEngine('POST', `${url}/${name}/${PULSE_KEY}/start/send`));
    heardMs = performance.now();
  };

  /** Undefined when the engine has forgotten some of the work. */
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
    log('info', 'registered with the engine');
  };

  /** To the engine a search is the dearest of all questions. */
  const isTimeToSearch = (owners: ReadonlySet<string>): boolean => {
    const nowMs = performance.now();
    const hasAll = owners.size === 1 && owners.has(own);
    if (hasAll && nowMs - registeredMs > SETTLING_MS && nowMs - searchedMs < RARELY_MS) return false;
    searchedMs = nowMs;
    return true;
  };

  const look = async () => {
    const owners = registered ? await findOwners() : undefined;
    const silent = pulses.length > 0 && performance.now() - heardMs > SILENCE_MS;
    if (owners === undefined || (silent && owners.has(own))) return announce();
    if (!isTimeToSearch(owners)) return;
    const { deployments, orphans } = await findLost(admin, names, own);
    if (deployments.size === 0) return;
    log('warn', `another process does not answer; ${orphans.length} pieces of its work go on here`);
    if ([...owners].some((owner) => deployments.has(owner))) await announce();
    for (const { id, name, key } of orphans) {
      await endInvocation(admin, id);
      if (drains.includes(name)) await wake(name, key);
    }
  };

  return {
    register,
    look,
    heard: () => {
      heardMs = performance.now();
    },
    isRegistered: () => registered,
  };
}
