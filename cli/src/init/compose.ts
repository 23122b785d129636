// The compose file: PostgreSQL, Restate, the services, Caddy, Prometheus and Alertmanager. Each container gets the files that
// it needs, read-only, at the paths that they have on the machine. Only Caddy has a port on the internet.
import path from 'node:path';
import type { ServiceName } from '@svc-pay/runtime/process/find-service';
import type { InitChoices } from './choices.ts';
import {
  ARCHIVE_FOLDER,
  databaseSecretOf,
  environmentFileOf,
  IDENTITY_FILE,
  NETWORKS_FILE,
  RELAYERS_FOLDER,
  SECRETS_FOLDER,
} from './folder-layout.ts';

export const COMPOSE_FILE = 'compose.yaml';
export const CADDY_FILE = 'Caddyfile';
export const ROLES_FILE = 'roles.sql';
export const PROMETHEUS_FILE = 'prometheus.yaml';
export const ALERTS_FILE = 'alerts.yaml';
export const ALERTMANAGER_FILE = 'alertmanager.yaml';

const IMAGES = {
  postgres: 'postgres:18',
  restate: 'restatedev/restate:1.7.12',
  caddy: 'caddy:2',
  prometheus: 'prom/prometheus:v3.5.0',
  alertmanager: 'prom/alertmanager:v0.28.1',
} as const;

/** Secrets of each program, by file. */
const SECRETS_OF: Readonly<Record<ServiceName, readonly string[]>> = {
  api: ['key-pepper', 'internal-key'],
  settlement: ['internal-keys', 'relayer-password'],
  webhooks: ['master-keys'],
  admin: ['key-pepper', 'audit-signing-key'],
  console: [],
};

/** Port on which a service says whether it is ready. */
const READY_PORT: Readonly<Record<ServiceName, number>> = {
  api: 8402,
  settlement: 8403,
  webhooks: 8404,
  admin: 8405,
  console: 8407,
};

/** Two of each, so that one serves while the other is replaced. */
export const API_HOSTS = ['api', 'api-2'] as const;
/** Both, over the network in which the address of the console is fixed. */
export const API_AT_EDGE = 'api-at-edge';
export const SETTLEMENT_HOSTS = ['settlement', 'settlement-2'] as const;

type Mount = { readonly source: string; readonly target?: string; readonly writable?: true };

/** A bind mount that fails where the file is missing, instead of making a folder of its name. */
function mount({ source, target = source, writable }: Mount): string {
  return [
    `      - type: bind`,
    `        source: ${source}`,
    `        target: ${target}`,
    ...(writable === true ? [] : ['        read_only: true']),
    '        bind: { create_host_path: false }',
  ].join('\n');
}

const BACK_AND_OUT = { back: '', out: '' };
const apiNetworks = ({ consoleUrl }: InitChoices) => ({
  back: '',
  edge: consoleUrl === undefined ? '' : `aliases: [${API_AT_EDGE}]`,
});
const consoleNetworks = ({ subnet }: InitChoices) => ({ back: '', edge: `ipv4_address: ${subnet.console}` });

export function composeText(choices: InitChoices): string {
  return `# SVC Pay on one machine. Yours to edit: \`svc init\` does not change a file that exists.
name: svc-pay

x-ours: &ours
  image: ${choices.image}
  # Owner of the files in this folder: nobody else may read the secrets.
  user: "${choices.owner.uid}:${choices.owner.gid}"
  read_only: true
  tmpfs: [/tmp]
  cap_drop: [ALL]
  security_opt: ["no-new-privileges:true"]
  restart: unless-stopped
  # Longer than a service takes to finish what it began.
  stop_grace_period: 40s
  logging: &logging { driver: json-file, options: { max-size: 50m, max-file: "10" } }

services:
${[
  ...API_HOSTS.map((host) =>
    ownService(choices, { host, service: 'api', networks: apiNetworks(choices), files: [NETWORKS_FILE] }),
  ),
  ...SETTLEMENT_HOSTS.map((host) =>
    ownService(choices, {
      host,
      service: 'settlement',
      networks: BACK_AND_OUT,
      files: [NETWORKS_FILE, RELAYERS_FOLDER],
      environment: { SVC_SETTLEMENT_ENGINE_URL: `http://${host}:9403` },
    }),
  ),
  ownService(choices, { service: 'webhooks', networks: BACK_AND_OUT }),
  ownService(choices, { service: 'admin', networks: BACK_AND_OUT, port: '127.0.0.1:8405:8405' }),
  ...(choices.consoleUrl === undefined
    ? []
    : [ownService(choices, { service: 'console', networks: consoleNetworks(choices) })]),
  commandService(choices),
  postgresService(choices),
  restateService(choices),
  caddyService(choices),
  monitoringServices(choices),
].join('\n\n')}

networks:
  # Between Caddy and what it serves. Addresses that the API trusts (SVC_API_TRUSTED_PROXIES) are fixed, Caddy's first. Docker hands
  # out those of ip_range, so no other container gets them.
  edge:
    ipam: { config: [{ subnet: ${choices.subnet.range}, ip_range: ${choices.subnet.dynamic} }] }
  # No way to the internet.
  back: { internal: true }
  # To RPC nodes, to endpoints of merchants, and to ports on loopback.
  out: {}

volumes:
  postgres: {}
  restate: {}
  caddy: {}
  prometheus: {}
  alertmanager: {}
`;
}

type OwnService = {
  readonly service: ServiceName;
  /** Name of the container in its networks, if not that of the service. */
  readonly host?: string;
  /** Settings of the container in each network. */
  readonly networks: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  /** What differs from the file of the service. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly port?: string;
};

function ownService({ folder }: InitChoices, own: OwnService): string {
  const { service, host = service, networks, files = [], environment = {}, port } = own;
  const mounts = [
    ...[databaseSecretOf(service), ...SECRETS_OF[service]].map((secret) => path.join(folder, SECRETS_FOLDER, secret)),
    ...files.map((file) => path.join(folder, file)),
  ].map((source) => mount({ source }));
  const archive = mount({ source: path.join(folder, ARCHIVE_FOLDER), writable: true });
  const settings = Object.entries(environment).map(([name, value]) => `      ${name}: ${value}`);
  return [
    `  ${host}:`,
    '    <<: *ours',
    `    command: [svc-${service}]`,
    `    env_file: ${environmentFileOf(service)}`,
    ...(settings.length === 0 ? [] : ['    environment:', ...settings]),
    '    depends_on: [postgres, restate]',
    ...healthCheck(READY_PORT[service]),
    '    networks:',
    ...Object.entries(networks).map(([name, given]) => `      ${name}: { ${given} }`.replace('{  }', '{}')),
    ...(port === undefined ? [] : [`    ports: ["${port}"]`]),
    '    volumes:',
    ...mounts,
    ...(service === 'settlement' ? [archive] : []),
  ].join('\n');
}

/**
 * For `docker compose up --wait`. The image has no shell, and Node is the one program in it that asks over HTTP. Without
 * blanks: podman cuts the arguments of a check at them.
 */
function healthCheck(port: number): readonly string[] {
  const ask = `fetch('http://127.0.0.1:${port}/ready').then((answer)=>process.exit(answer.ok?0:1))`;
  return [
    '    healthcheck:',
    `      test: [CMD, node, -e, "${ask}"]`,
    '      interval: 10s',
    '      timeout: 10s',
    '      retries: 3',
    '      start_period: 30s',
  ];
}

/** It has the whole folder: the doctor compares the secrets of all services. */
function commandService({ folder }: InitChoices): string {
  return `  # docker compose run --rm svc doctor --folder ${folder}
  svc:
    <<: *ours
    profiles: [tools]
    restart: "no"
    entrypoint: [svc]
    env_file: ${environmentFileOf('command')}
    networks: [back, out]
    volumes:
${mount({ source: folder })}`;
}

function postgresService({ folder, database }: InitChoices): string {
  const [, name = 'svc_pay'] = /\/(\w+)/.exec(database) ?? [];
  const password = path.join(folder, SECRETS_FOLDER, 'postgres-password');
  return `  postgres:
    image: ${IMAGES.postgres}
    restart: unless-stopped
    logging: *logging
    # A stop without this is a crash for PostgreSQL, and the next start a recovery.
    stop_grace_period: 2m
    shm_size: 256m
    environment:
      POSTGRES_DB: ${name}
      POSTGRES_PASSWORD_FILE: ${password}
      POSTGRES_INITDB_ARGS: --data-checksums --auth-host=scram-sha-256
    networks: [back]
    volumes:
      - postgres:/var/lib/postgresql
${mount({ source: password })}
${mount({ source: path.join(folder, ROLES_FILE), target: '/docker-entrypoint-initdb.d/10-roles.sql' })}`;
}

function restateService({ folder }: InitChoices): string {
  const identity = path.join(folder, SECRETS_FOLDER, IDENTITY_FILE);
  return `  restate:
    image: ${IMAGES.restate}
    restart: unless-stopped
    logging: *logging
    environment:
      RESTATE_NODE_NAME: svc
      RESTATE_CLUSTER_NAME: svc-pay
      RESTATE_AUTO_PROVISION: "true"
      RESTATE_DEFAULT_NUM_PARTITIONS: "8"
      RESTATE_BASE_DIR: /restate-data
      RESTATE_DISABLE_TELEMETRY: "true"
      RESTATE_LOG_FILTER: warn
      RESTATE_WORKER__INVOKER__REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: ${identity}
    networks: [back]
    volumes:
      - restate:/restate-data
${mount({ source: identity })}`;
}

function caddyService({ folder, subnet, consoleUrl }: InitChoices): string {
  return `  caddy:
    image: ${IMAGES.caddy}
    restart: unless-stopped
    logging: *logging
    read_only: true
    tmpfs: [/tmp, /config]
    cap_drop: [ALL]
    cap_add: [NET_BIND_SERVICE]
    depends_on: [${[...API_HOSTS, ...(consoleUrl === undefined ? [] : ['console'])].join(', ')}]
    # IPv4 alone: Docker would hand on an IPv6 client with the address of the bridge, and all of them would be one client.
    ports: ["0.0.0.0:80:80", "0.0.0.0:443:443", "0.0.0.0:443:443/udp"]
    networks:
      edge: { ipv4_address: ${subnet.proxy} }
    volumes:
      - caddy:/data
${mount({ source: path.join(folder, CADDY_FILE), target: '/etc/caddy/Caddyfile' })}`;
}

function monitoringServices({ folder }: InitChoices): string {
  const config = (file: string, target: string) => mount({ source: path.join(folder, file), target });
  return `  prometheus:
    image: ${IMAGES.prometheus}
    restart: unless-stopped
    logging: *logging
    command: [--config.file=/etc/prometheus/prometheus.yaml, --storage.tsdb.path=/prometheus,
      --storage.tsdb.retention.time=30d]
    ports: ["127.0.0.1:9090:9090"]
    networks: [back, out]
    volumes:
      - prometheus:/prometheus
${config(PROMETHEUS_FILE, '/etc/prometheus/prometheus.yaml')}
${config(ALERTS_FILE, '/etc/prometheus/alerts.yaml')}

  alertmanager:
    image: ${IMAGES.alertmanager}
    restart: unless-stopped
    logging: *logging
    command: [--config.file=/etc/alertmanager/alertmanager.yaml, --storage.path=/alertmanager]
    ports: ["127.0.0.1:9093:9093"]
    networks: [back, out]
    volumes:
      - alertmanager:/alertmanager
${config(ALERTMANAGER_FILE, '/etc/alertmanager/alertmanager.yaml')}`;
}
