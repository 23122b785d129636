// Settings of what stands around the services: Caddy in front of them, Prometheus and Alertmanager beside them.
import type { InitChoices } from './choices.ts';
import { ALERTS_FILE } from './compose.ts';
import { PLACEHOLDER } from './folder-layout.ts';

/**
 * TLS by itself. Caddy puts the address of its client into X-Forwarded-For, and drops what the client wrote there. Behind
 * proxies of the operator it adds to what these wrote.
 */
export function caddyText({ publicUrl, outerProxies }: InitChoices): string {
  const { protocol, host } = new URL(publicUrl);
  const trusted =
    outerProxies.length === 0
      ? ''
      : `\t\t# Your own proxies before Caddy.\n\t\ttrusted_proxies ${outerProxies.join(' ')}\n`;
  return `# TLS, limits and the way to the API. Yours to edit: \`svc init\` does not change a file that exists.
{
	servers {
		timeouts {
			read_header 10s
			read_body 30s
			idle 2m
		}
		max_header_size 32KB
	}
}

${protocol === 'https:' ? host : publicUrl} {
	request_body {
		max_size 1MB
	}
	header Strict-Transport-Security "max-age=31536000"
	# It reads the database: for monitors of your own network, which ask the API itself.
	@internal path /ready
	respond @internal 404
	reverse_proxy api:8402 {
${trusted}		# Events of a stream arrive one by one.
		flush_interval -1
		transport http {
			dial_timeout 5s
			# Longer than the API waits for a payment result.
			response_header_timeout 130s
		}
	}
}
`;
}

const JOBS = {
  'svc-api': 'api:9402',
  'svc-settlement': 'settlement:8403',
  'svc-webhooks': 'webhooks:8404',
  'svc-admin': 'admin:8405',
};

export function prometheusText(): string {
  const jobs = Object.entries(JOBS).map(
    ([name, target]) => `  - job_name: ${name}\n    static_configs: [{ targets: ["${target}"] }]\n`,
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
