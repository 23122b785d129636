// Settings of what stands around the services: Caddy in front of them, Prometheus and Alertmanager beside them.
import { isIP } from 'node:net';
import type { InitChoices } from './choices.ts';
import { ALERTS_FILE, API_HOSTS, SETTLEMENT_HOSTS } from './compose.ts';
import { PLACEHOLDER } from './folder-layout.ts';

/**
 * TLS by itself. Caddy puts the address of its client into X-Forwarded-For, and drops what the client wrote there. Behind
 * proxies of the operator it adds to what these wrote.
 */
export function caddyText({ publicUrl, consoleUrl, outerProxies }: InitChoices): string {
  const { protocol, host, hostname } = new URL(publicUrl);
  // Nobody certifies an address, and clients do not send it when they connect: Caddy's own authority does.
  const ownAuthority =
    protocol === 'https:' && isIP(hostname) !== 0 ? `\tdefault_sni ${hostname}\n\tskip_install_trust\n` : '';
  const trusted =
    outerProxies.length === 0
      ? ''
      : `\t\t# Your own proxies before Caddy.\n\t\ttrusted_proxies ${outerProxies.join(' ')}\n`;
  return `# TLS, limits and the way to the API. Yours to edit: \`svc init\` does not change a file that exists.
{
${ownAuthority}	servers {
		timeouts {
			read_header 10s
			read_body 30s
			idle 2m
		}
		max_header_size 16KiB
	}
}

${protocol === 'https:' ? host : publicUrl} {
	# The API takes 64 KiB and answers 413 beyond. This is for what is far beyond: Caddy answers 502 where a body is cut on its way.
	@large header_regexp Content-Length ^\\d{6,}$
	respond @large 413
	request_body {
		max_size 128KiB
	}
	header Strict-Transport-Security "max-age=31536000"
	# It reads the database: for monitors of your own network, which ask the API itself.
	@internal path /ready
	respond @internal 404
	reverse_proxy ${API_HOSTS.map((name) => `${name}:8402`).join(' ')} {
${trusted}		# A stopping API says so here for SVC_API_STOP_DELAY_MS, and takes requests meanwhile: none is lost.
		health_uri /ready
		health_interval 1s
		health_timeout 10s
		# What finds no API waits for one. Of requests that reached an API, a GET may be sent again, and no POST.
		lb_try_duration 15s
		# Events of a stream arrive one by one.
		flush_interval -1
		transport http {
			dial_timeout 5s
			# Longer than the API waits for a payment result.
			response_header_timeout 150s
		}
	}
}
${consoleUrl === undefined ? '' : consoleSite(consoleUrl, trusted)}`;
}

/** The console sends Strict-Transport-Security and every other header of its pages itself. */
const consoleSite = (consoleUrl: string, trusted: string) => `
${new URL(consoleUrl).host} {
	# The console takes 64 KiB.
	@large header_regexp Content-Length ^\\d{6,}$
	respond @large 413
	request_body {
		max_size 128KiB
	}
	reverse_proxy console:8406 {
${trusted}		# What finds no console waits for one.
		lb_try_duration 15s
		transport http {
			dial_timeout 5s
			# Longer than an export takes to begin.
			response_header_timeout 150s
		}
	}
}
`;

const jobsOf = ({ consoleUrl }: InitChoices): Readonly<Record<string, readonly string[]>> => ({
  'svc-api': API_HOSTS.map((name) => `${name}:9402`),
  'svc-settlement': SETTLEMENT_HOSTS.map((name) => `${name}:8403`),
  'svc-webhooks': ['webhooks:8404'],
  'svc-admin': ['admin:8405'],
  ...(consoleUrl !== undefined && { 'svc-console': ['console:8407'] }),
});

export function prometheusText(choices: InitChoices): string {
  const jobs = Object.entries(jobsOf(choices)).map(
    ([name, targets]) => `  - job_name: ${name}\n    static_configs: [{ targets: ${JSON.stringify(targets)} }]\n`,
  );
  return `# Where the metrics of the services are. Job names are what ${ALERTS_FILE} and the dashboard go by.
global:
  scrape_interval: 15s
  evaluation_interval: 15s
rule_files: [${ALERTS_FILE}]
alerting:
  alertmanagers:
    - static_configs: [{ targets: ["alertmanager:9093"] }]
scrape_configs:
${jobs.join('')}`;
}

export function alertmanagerText(): string {
  return `# Who hears of an alert. Until the address below is yours, nobody does.
route:
  receiver: operators
  group_by: [alertname, job]
  group_wait: 30s
  repeat_interval: 4h
  routes:
    - matchers: ['severity="page"']
      group_wait: 0s
      repeat_interval: 15m
      receiver: operators
receivers:
  - name: operators
    webhook_configs:
      - url: https://alerts.${PLACEHOLDER}.invalid/
        send_resolved: true
`;
}
