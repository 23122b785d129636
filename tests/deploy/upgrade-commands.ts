// The lines that an operator types in the folder of the installation to go from one image to the next.
/** Each waits until what it started is ready. */
export function upgradeCommands(from: string, to: string): readonly string[] {
  return [
    `sed -i 's|image: ${from}$|image: ${to}|' compose.yaml`,
    'docker compose run --rm -T svc migrate',
    'docker compose up -d --no-deps --wait settlement-2',
    'docker compose up -d --no-deps --wait settlement',
    'docker compose up -d --no-deps --wait webhooks admin',
    'docker compose up -d --no-deps --wait api-2',
    'docker compose up -d --no-deps --wait api',
  ];
}
